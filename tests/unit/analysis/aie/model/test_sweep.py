"""Records of a sweep: dispatch floor, residuals, and the regret of what was built."""

import pytest

from analysis.aie.model.sweep import compare_records

DISPATCH = {"operator": "dispatch", "point": {}, "candidate": {}, "measured_us": {"min": 50.0}}


def record(candidate, cycles, measured, digest="x", seq_len=256):
    return {
        "operator": "swiglu",
        "point": {"seq_len": seq_len, "dim": 2048},
        "candidate": candidate,
        "estimate": {"cycles": cycles},
        "digest": digest,
        "measured_us": {"min": measured},
    }


SWEEP = [
    DISPATCH,
    record({}, 180_000, 200.0, "b"),
    record({"k": 1}, 360_000, 250.0, "a"),
    record({"k": 2}, 180_000, 190.0, "b"),
    record({"k": 4}, 200_000, 180.0, "c"),
    {"operator": "mha", "point": {"seq_len": 64}, "candidate": {}, "error": "no routing"},
]


def test_latency_is_cycles_at_1800_mhz_over_the_dispatch_floor():
    found = compare_records(SWEEP)
    assert (found["dispatch_us"], found["failed"]) == (50.0, 1)
    first = found["latency"][0]
    assert (first["shape"], first["seq_len"], first["candidate"]) == (
        "swiglu dim=2048",
        256,
        "stream",
    )
    assert first["predicted_us"] == pytest.approx(150)
    assert first["residual"] == pytest.approx(-0.25)


def test_the_choice_is_that_of_the_digest_and_its_regret_that_of_what_was_built():
    (choice,) = compare_records(SWEEP)["choices"]
    assert (choice["built"], choice["priced_fastest"], choice["measured_fastest"]) == (
        "k=2",
        "k=2",
        "k=4",
    )
    assert choice["regret"] == pytest.approx(200 / 180 - 1)


def test_shapes_are_compared_by_themselves():
    other = [record({}, 1, 9.0, seq_len=512), record({"k": 1}, 1, 8.0, seq_len=512)]
    assert [row["seq_len"] for row in compare_records([*SWEEP, *other])["choices"]] == [256, 512]


def test_without_a_dispatch_record_the_floor_is_unknown():
    assert compare_records(SWEEP[1:])["dispatch_us"] is None


@pytest.mark.parametrize("records", [[], [DISPATCH], [{"operator": 4}], [{"estimate": []}]])
def test_nothing_to_compare_is_an_error(records):
    with pytest.raises(ValueError, match="no record"):
        compare_records(records)
