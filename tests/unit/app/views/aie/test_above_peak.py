"""Rates above the peak: no sentence, tile or list gives them as a fact."""

import pytest

from app.views.aie.pace import limiters_part
from app.views.run_words import main_sentences, strip_metrics, strip_scopes
from app.views.state import RunState
from components.aie.pace import pace_caption
from components.comparison.words import first_words
from components.numbers import grouped_digits, percent
from components.runs.run_records import run_record
from ingest.files import ingest
from schema.comparison import CAPTURE
from schema.headlines import headline_of
from schema.peak_rates import IMPOSSIBLE, RATES
from services.run.data_cache import RunDataCache
from tests.support.comparisons import row_of
from tests.support.finding_codes import only_finding
from tests.support.runs import record_of

SAMPLE = "outputs/npu1-gemm_64_64_64-1_row_1_col/traces"


@pytest.fixture
def read(settings, samples):
    """Return a function that reads the sample with a peak in MAC per cycle."""

    def read_sample(peak):
        repository = settings.repository()
        run = ingest(repository, [samples / SAMPLE], {"peak_macs_per_cycle": peak}).runs[0]
        return run, RunDataCache(repository).get(run.run_id, "robust", {})

    return read_sample


@pytest.mark.parametrize(("peak", "impossible"), [("1", True), ("256", False)])
def test_a_page_says_first_that_rates_are_impossible(read, peak, impossible):
    run, data = read(peak)
    headline = headline_of("aie", data.headline)
    assert headline.is_impossible is impossible
    scopes = strip_scopes(data, "robust")
    rates = [scopes.get(name) for name in strip_metrics(data) if name in RATES]
    assert rates == ["impossible" if impossible else None] * 3
    sentences = main_sentences(data, RunState())
    assert ("Impossible" in limiters_part(data, RunState()).caption) is impossible
    if impossible:
        message = grouped_digits(only_finding(run, "above_peak").message)
        assert sentences[0] == f"{message[0].upper()}{message[1:]}."
        assert pace_caption(data.pace) not in sentences
    else:
        assert not any("impossible" in sentence for sentence in sentences)
        assert pace_caption(data.pace) in sentences


@pytest.mark.parametrize(("share", "doubt"), [(12.05, IMPOSSIBLE), (0.5, "")])
def test_a_row_of_the_list_marks_its_rates(share, doubt):
    record = run_record(record_of(gmacs_mean=964.0, gmacs_best=964.0, utilization=share))
    assert record["impossible"] == doubt


@pytest.mark.parametrize(
    ("base", "new", "named"), [(0.5, 12.05, [12.05]), (1.5, 12.05, [1.5, 12.05]), (0.5, 0.9, [])]
)
def test_a_comparison_says_first_which_side_has_impossible_rates(base, new, named):
    rows = [row_of(40.0, 964.0), row_of(base, new, metric=CAPTURE["utilization"])]
    sentence = first_words(None, rows, [], "regressed")
    first = sentence.partition(". ")[0]
    assert first.startswith("Impossible") is bool(named)
    assert all((percent(share) in first) is (share in named) for share in (base, new))
