"""Predicted and measured terms, and the regret of a choice."""

import itertools

import pandas as pd
import pytest

from analysis.aie.model.regret import PricedRun, find_regrets
from analysis.aie.model.terms import compare_terms
from schema.frames import complete, empty
from tests.support.design_trace import capture_of

RUN = {"wall_clock_min_us": 40.0, "clock_hz": 1e9}


def kernels(*rows):
    """Return frame `kernels` of (track, name, start, end); an end of None is a lost marker."""
    columns = {
        "track": [row[0] for row in rows],
        "kernel": range(len(rows)),
        "name": [row[1] for row in rows],
        "start": [row[2] for row in rows],
        "end": pd.array([row[3] for row in rows], dtype="Int64"),
        "duration": pd.array(
            [None if row[3] is None else row[3] - row[2] for row in rows], dtype="Int64"
        ),
    }
    return complete("kernels", columns)


KERNELS = kernels(
    ("core 2,0", "main", 100, 200),
    ("core 2,0", "main", 400, 510),
    ("core 2,0", "short", 600, 605),
    ("core 2,0", "main", 700, None),
    ("core 3,0", "main", 100, 220),
    ("core 3,0", "main", 500, 630),
)
STALLS = {"core 2,0": {"LOCK_STALL": [(0, 100), (200, 400)]}, "core 3,0": {"LOCK_STALL": [(0, 60)]}}


def predictions(**terms):
    rows = {"term": list(terms), "predicted": list(terms.values())}
    return complete("predictions", rows | {"predicted_from": ["x"] * len(terms)})


def compared(given, stalls=STALLS, run=RUN, rows=KERNELS):
    return {term.name: term for term in compare_terms(given, run, rows, *capture_of(stalls))}


def test_measured_terms():
    terms = compared(empty("predictions"))
    measured = {name: term.measured.cycles for name, term in terms.items()}
    # Main kernels with both markers: 100, 110, 120, 130. Waits: 300 / 2 and 60 / 2.
    assert measured == {"compute": 115, "wait": 90, "period": 350, "total": 40_000}
    assert all(term.residual is None and len(term.reason) > 10 for term in terms.values())


def test_residuals_are_relative_to_the_measured():
    terms = compared(predictions(compute=92, total=60_000))
    assert terms["compute"].residual == pytest.approx(-0.2)
    assert terms["total"].residual == pytest.approx(0.5)
    assert terms["wait"].residual is None


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("compute", {"rows": empty("kernels")}),
        ("period", {"rows": kernels(("core 2,0", "main", 1, 2))}),
        ("wait", {"stalls": {"core 2,0": {"INSTR_VECTOR": [(1, 2)]}}}),
        ("total", {"run": {"wall_clock_min_us": None, "clock_hz": 1e9}}),
        ("total", {"run": {"wall_clock_min_us": 4.0, "clock_hz": None}}),
    ],
)
def test_what_was_not_measured_has_a_reason(name, arguments):
    term = compared(predictions(**{name: 5}), **arguments)[name]
    assert (term.measured.cycles, term.residual) == (None, None)
    assert len(term.reason) > 10


def test_a_traced_core_that_never_waited_counts_as_0():
    stalls = {"core 2,0": STALLS["core 2,0"], "core 3,0": {"LOCK_STALL": []}}
    assert compared(empty("predictions"), stalls)["wait"].measured.cycles == 75


def candidate(run_id, tile, predicted, measured, problem=(1, 2, 3)):
    return PricedRun(run_id, problem, tile, predicted, measured)


RUNS = (
    candidate("a", (32, 32, 32), 60, 51.5),
    candidate("b", (64, 32, 32), 52, 59.875),
    candidate("c", (64, 64, 32), 55, 49.5),
    candidate("d", (64, 32, 32), 52, 59.875),
)


def test_the_regret_is_the_same_in_any_order():
    found = {str(find_regrets(order)) for order in itertools.permutations(RUNS)}
    assert len(found) == 1
    (regret,) = find_regrets(RUNS)
    assert (regret.chosen.run_id, regret.fastest.run_id, regret.runs) == ("b", "c", 4)
    assert regret.regret == pytest.approx(59.875 / 49.5 - 1)


def test_runs_of_other_problems_are_not_compared():
    other = candidate("z", (8, 8, 8), 1, 1, problem=(9, 9, 9))
    assert [regret.runs for regret in find_regrets([*RUNS, other])] == [4]
