"""Rates above the peak: no sentence, tile or list gives them as a fact."""

import pytest

from app.views.aie.pace import limiters_part
from app.views.run_words import main_sentences, strip_metrics, strip_scopes
from app.views.state import RunState
from components.aie.pace import pace_caption
from components.comparison.words import first_words
from components.numbers import grouped_digits
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


@pytest.mark.slow
@pytest.mark.parametrize(("peak", "impossible"), [("1", True), ("256", False)])
def test_a_page_says_first_that_rates_are_impossible(read, peak, impossible):
    run, data = read(peak)
    headline = headline_of("aie", data.headline)
    assert headline.impossible is impossible
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


def test_a_comparison_says_first_why_the_rate_cannot_be_compared():
    rate = row_of(None, 964.0, "incomparable", reason="the base reaches 1205 % of its peak")
    model = row_of(0.1, 0.2, metric=CAPTURE["model_compute"])
    for rows, verdict in (([rate], "incomparable"), ([rate, model], "regressed")):
        sentence = first_words(None, rows, [], verdict)
        assert sentence.count("1205 % of its peak") == 1
        assert sentence.index("1205 % of its peak") < len(sentence.partition(". ")[0])


def test_impossible_kernels_do_not_make_the_rates_impossible(settings, samples):
    repository = settings.repository()
    # Larger tiles than those that ran, while the sizes of the GEMM are right.
    given = {"m": "64", "k": "64", "n": "64"}
    run = ingest(repository, [samples / SAMPLE], given).runs[0]
    data = RunDataCache(repository).get(run.run_id, "robust", {})
    message = only_finding(run, "above_peak").message
    assert message.startswith("kernels are impossible")
    headline = headline_of("aie", data.headline)
    assert not headline.impossible
    assert run_record(repository.find_run(run.run_id).record())["impossible"] == ""
    scopes = strip_scopes(data, "robust")
    marked = [name for name in strip_metrics(data) if scopes.get(name) == "impossible"]
    assert marked == ["median_kernel"]
