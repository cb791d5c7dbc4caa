"""The first sentences of a page about a file of which a part was not read, or cannot be right."""

import pytest

from app.views.run_words import main_sentences
from app.views.state import RunState
from ingest.files import ingest
from services.run.data_cache import RunDataCache
from tests.support.kineto_trace import call, kernel, step, trace_data


@pytest.mark.parametrize(("row", "count"), [("b,3,2,9", 1), ("b,2,3,9", 0)])
def test_a_page_says_first_that_a_row_was_skipped(settings, tmp_path, row, count):
    path = tmp_path / "plan.1000.csv"
    path.write_text(f"id,lower,upper,size\na,0,5,4\n{row}\n")
    repository = settings.repository()
    run = ingest(repository, [path], {}).runs[0]
    sentences = main_sentences(RunDataCache(repository).get(run.run_id, "robust", {}), RunState())
    assert len([text for text in sentences if text.startswith("Incomplete: 1 row")]) == count


def test_a_page_says_first_that_its_numbers_lack_impossible_times(repository, tmp_path):
    entries = [step(1, 0, 1000), call(10, 1), kernel("long", 20, 700, 1)]
    data = trace_data(repository, tmp_path, [*entries, call(30, 2), kernel("next", 500, 50, 2)])
    assert data.profile.breakdown.devices[0].main_split.busy == 50_000
    (sentence,) = [text for text in main_sentences(data, RunState()) if "Incomplete" in text]
    assert str(sentence).startswith("Incomplete: 1 execution with an end ")
