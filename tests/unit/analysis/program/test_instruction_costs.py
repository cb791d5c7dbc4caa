"""Costs of instructions: what is a hit, a stall, idle, and a delay."""

import pandas as pd

from analysis.program.instruction_costs import instruction_costs
from schema.frames import complete

TEXTS = {0: "v_add_f32 v0", 4: "s_waitcnt vmcnt(0)", 8: "s_barrier", 12: "s_endpgm"}


def frames(rows, program=5):
    """Return frames of a trace whose issues are rows (wave, at, pc, kind, duration, delay, released)."""
    names = ("wave", "at", "pc", "kind", "duration", "delay", "released")
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    return {
        "thread_traces": pd.DataFrame(
            {"trace": [0], "program": pd.array([program], dtype="Int64")}
        ),
        "wave_instructions": complete("wave_instructions", {"trace": [0] * len(rows)} | columns),
        "disassembly": pd.DataFrame(
            {"program": 5, "pc": list(TEXTS), "text": list(TEXTS.values())}
        ),
    }


ISSUES = [
    (0, 10, 0, "VALU", 5, 4, None),
    (1, 11, 0, "VALU", 1, 8, None),
    (1, 12, 0, "VALU", 30, None, None),
    (0, 15, 4, "IMMEDIATE", 3, None, None),
    (0, 18, 8, "BARRIER", 20, None, 30),
    (0, 38, 12, "END", None, None, None),
    (1, 42, 8, "BARRIER", None, None, None),
]


def test_gaps_are_stalls_in_front_of_waits_and_at_barriers_and_else_idle():
    costs = instruction_costs(frames(ISSUES)).set_index("pc")
    assert costs["text"].to_dict() == TEXTS
    assert costs["hits"].to_dict() == {0: 3, 4: 1, 8: 2, 12: 1}
    # The first issue of a wave has no gap; the barrier of wave 1 has no end in the trace.
    assert costs["idle"].to_dict() == {0: 0, 4: 0, 8: 2 + 29, 12: 38 - 30}
    assert costs["stall"].to_dict() == {0: 0, 4: 4, 8: 30 - 18 - 1, 12: 0}


def test_the_delay_is_a_mean_over_executions():
    costs = instruction_costs(frames(ISSUES)).set_index("pc")
    assert (costs["delay"][0], costs["executed"][0]) == (6.0, 2)
    assert pd.isna(costs["delay"][4]) and costs["executed"][4] == 0


def test_waves_may_alternate_and_sums_are_those_of_each_wave():
    shuffled = sorted(ISSUES, key=lambda issue: (issue[1], -issue[0]))
    assert instruction_costs(frames(shuffled)).equals(instruction_costs(frames(ISSUES)))


def test_traces_without_a_program_or_addresses_have_no_costs():
    assert instruction_costs(frames(ISSUES, program=pd.NA)).empty
    lost = [(0, 1, None, "SALU", None, None, None)]
    assert instruction_costs(frames(lost)).empty
    assert instruction_costs(frames([])).empty


def test_without_machine_code_nothing_is_known_to_wait():
    known = frames(ISSUES)
    del known["disassembly"]
    costs = instruction_costs(known).set_index("pc")
    assert costs["idle"][4] == 4 and costs["stall"][4] == 0 and costs["text"].isna().all()
