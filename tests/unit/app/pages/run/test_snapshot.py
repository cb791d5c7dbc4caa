import re

import pytest

from app.pages.run.snapshot import snapshot_html
from app.views.registry import RUN
from ingest.files import ingest
from services.run.data_cache import RunDataCache
from storage.annotations import Annotations, Change
from storage.errors import RunNotFound
from tests.support.aie_trace import trace_text, write_capture_file
from tests.support.numbers_in_text import has_numbers
from tests.support.paced_trace import ingest_night
from tests.support.pages import Page, is_plotly
from tests.support.tpu_log import ATTEMPTS, log

HOSTILE = "</script><script>alert(1)</script>"


@pytest.fixture
def repository(settings):
    return settings.repository()


def take(repository, tmp_path, text, hwid="npu2"):
    path = write_capture_file(tmp_path, text, f"{hwid}-gemm_64_64_64-2_row_1_col")
    return ingest(repository, [path], {"m": "32", "k": "32", "n": "32"}).runs[0].run_id


@pytest.mark.slow
def test_a_snapshot_holds_plotly_once_and_fetches_nothing(repository, tmp_path):
    page = Page(snapshot_html(repository, [take(repository, tmp_path, trace_text())], ""))
    assert sum(is_plotly(script) for script in page.scripts) == 1
    assert page.addresses == []


def test_a_snapshot_begins_with_the_headline(repository, tmp_path):
    html = snapshot_html(repository, [take(repository, tmp_path, trace_text())], "")
    headline = re.search(r'data-headline="(\w+)"[^>]*>([^<]+)<', html)
    assert headline[1] == "rate"
    assert "% of peak" in headline[2].replace("\u202f", " ")
    assert headline.start() < html.index('class="strip"')


def test_a_small_runs_snapshot_is_small(repository, samples):
    run = (
        ingest(repository, [samples / "outputs" / "npu1-gemm_64_64_64-1_row_1_col"], {})
        .runs[0]
        .run_id
    )
    assert len(snapshot_html(repository, [run], "").encode()) < 1_000_000


@pytest.mark.slow
def test_a_snapshot_shows_the_view_as_it_stands(repository, tmp_path):
    run = take(repository, tmp_path, trace_text())
    query = "track=core+2,0&clock_hz=2GHz"
    words = " ".join(" ".join(Page(snapshot_html(repository, [run], query)).words).split())
    assert "tile core 2,0" in words
    assert re.search(r"\bclock_hz\b[\w ]* 2GHz\b", words)
    assert "Method robust" in words


@pytest.mark.slow
def test_the_clock_is_in_the_unit_that_fits(repository, tmp_path):
    words = " ".join(
        Page(snapshot_html(repository, [take(repository, tmp_path, trace_text())], "")).words
    )
    assert re.search(r"clock_hz\s+1\.25\u202fGHz", words)


def test_notes_are_markdown_and_tags_are_text(repository, tmp_path):
    run = take(repository, tmp_path, trace_text())
    change = Change(
        notes=f"# why\n{HOSTILE} <img src=x> [x](https://a.example) [y](/run/1) **bold** `code`",
        tags=("golden", "<b>"),
    )
    Annotations(repository.catalogue).change(run, change, "me")
    text = snapshot_html(repository, [run], "")
    page = Page(text)
    words = "".join(page.words)
    assert "golden · <b>" in words
    assert f"{HOSTILE} <img src=x> x y bold code" in words
    assert all(
        tag in text for tag in ("<h3>why</h3>", "<strong>bold</strong>", "<code>code</code>")
    )
    assert page.addresses == ["https://a.example"]


@pytest.mark.slow
def test_short_tables_of_views_are_open(repository, tmp_path):
    run = ingest_night(repository, tmp_path, 1, longer={"3,1": 120}, depth=2)
    text = snapshot_html(repository, [run], "")
    (part,) = re.findall(r'<section data-view="limiters"><details( open)?>', text)
    assert part
    assert re.search(r"<section><details><summary><strong>kernels", text)


@pytest.mark.slow
def test_several_runs_share_one_file(repository, tmp_path):
    runs = [
        take(repository, tmp_path, trace_text(kernels=kernels), f"npu{kernels}")
        for kernels in (3, 4)
    ]
    text = snapshot_html(repository, runs, "")
    assert len(re.findall('<div id="timeline-[01]"', text)) == 2
    assert "<title>2 runs" in text


@pytest.mark.slow
def test_names_from_a_trace_stay_words(repository, tmp_path):
    text = trace_text().replace("LOCK_STALL", HOSTILE)
    page = Page(
        snapshot_html(repository, [take(repository, tmp_path, text, hwid="<img onerror=x>")], "")
    )
    assert not any(script.strip().startswith("alert") for script in page.scripts)
    assert any("<script>" in word for word in page.words)


@pytest.mark.slow
def test_no_plot_offers_a_cloud(repository, tmp_path):
    run_id = take(repository, tmp_path, trace_text())
    page = Page(snapshot_html(repository, [run_id], ""))
    views = RUN.available_plots(RunDataCache(repository).get(run_id, "robust", {}))
    assert len(page.plots) == len(views) + sum(view.strip is not None for view in views)
    assert all(plot["config"]["showSendToCloud"] is False for plot in page.plots)
    assert all(plot["config"]["displaylogo"] is False for plot in page.plots)


def test_a_run_that_is_not_there_is_said(repository):
    repository.catalogue.create()
    with pytest.raises(RunNotFound):
        snapshot_html(repository, ["nothing"], "")


@pytest.mark.slow
def test_a_memory_map_brings_what_the_page_tells_beside_it(repository, tmp_path):
    path = tmp_path / "small.log"
    path.write_text(log(*ATTEMPTS))
    run = ingest(repository, [path], {}).runs[0].run_id
    html = snapshot_html(repository, [run], "attempt=1&against=2&block=3")
    words = " ".join(" ".join(Page(html).words).split())
    for part in (
        "alive in attempt 1",
        "built-in allocators",
        "the selected block",
        "beside the selected block",
    ):
        assert part in words
    assert has_numbers(words, "1", "2")
    assert "0x4000 (16" in words, "addresses are exact"
