import pandas as pd

from analysis.kernels.kernel_table import kernel_table
from components.kernels.program_card import program_card
from tests.support.components import every, facts, words
from tests.support.numbers_in_text import numbers_in, without_numbers
from tests.support.profiles import kernels, run

PROGRAM = {
    "program": 0,
    "name": "r_8_16",
    "colours": "2-3:blue",
    "function": "r_8_16",
    "device": "CPU",
    "source": "void r_8_16(float* a) {\n  a[0] = 1.0f;\n}",
    "global_size": "2x1x1",
    "local_size": "",
    "library_bytes": 589,
    "operations": 2048,
    "memory_bytes": 4096,
    "moved_bytes": 8192,
    "estimate": "constant",
}


def test_what_a_run_computes_and_how_it_ran():
    table = kernel_table(
        kernels(run("r_8_16", 0, 90), run("r_8_16", 100, 30), run("r_8_16", 200, 30))
    )
    found = facts(program_card(pd.Series(PROGRAM), table.iloc[0]))
    assert numbers_in(found["computes"]) == ["2", "048"]
    assert numbers_in(found["work groups"]) == ["2", "1", "1"]
    assert found["machine code"] == "589 B"
    assert numbers_in(found["ran"]) == ["3", "150 ns", "100.0 %"]
    assert numbers_in(found["first run"]) == ["90 ns", "3.00", "2"]
    assert "function" not in found and "items per group" not in found


def test_a_program_that_never_ran_and_depends_on_variables():
    symbolic = pd.Series(
        PROGRAM | {"operations": pd.NA, "estimate": "symbolic", "library_bytes": pd.NA}
    )
    found = facts(program_card(symbolic, None))
    assert found["computes"].startswith("–")
    assert without_numbers(found["computes"])
    assert {"ran", "machine code"}.isdisjoint(found)


def test_its_source_text_is_there():
    card = program_card(pd.Series(PROGRAM), None, "/download")
    assert PROGRAM["source"] in words(card)
    assert [link.href for link in every(card, "A")] == ["/download"]


def test_a_program_that_profile_pkl_alone_names_has_no_source():
    bare = pd.Series(
        PROGRAM
        | {
            "source": "",
            "device": "",
            "global_size": "",
            "operations": pd.NA,
            "estimate": "missing",
        }
    )
    card = program_card(bare, None)
    assert "no source text" in words(card)
    assert facts(card)["computes"] == "– not in the capture"
