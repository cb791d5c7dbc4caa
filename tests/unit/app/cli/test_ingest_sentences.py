"""The counts that `ingest` prints, against its JSON and the frames of the runs."""

import json
import re

import pytest

from app.cli.ingest import _row_noun, run_line
from ingest.files import IngestedRun
from schema.frames import FRAMES
from schema.plurals import plural_form
from tests.support.command_line import run
from tests.support.sentences import number_faults

HEADER = "id,lower,upper,size,offset\n"
FRAME_ROWS = {"attempts": 1, "events": 2}
ROWS = ("a,0,3,100,0\n", "b,1,4,64,100\n")


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("others", [0, 1, 2])
def test_lines_count_rows_and_files_as_the_json(tmp_path, rows, others):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "p.1024.csv").write_text(HEADER + "".join(ROWS[:rows]))
    for rank in range(others):
        (folder / f"{rank}.txt").write_text("nothing")
    printed = [
        run("ingest", folder, *more, "--data", tmp_path / f"data{len(more)}").stdout
        for more in ([], ["--json"])
    ]
    result = json.loads(printed[1])
    (made,) = result["runs"]
    line, *rest = printed[0].splitlines()
    for name, count in made["frames"].items():
        if name not in ("run", "diagnostics"):
            noun = _row_noun(name) if count == 1 else name
            assert re.search(rf"(?:: |, ){count} {noun}\b", line), line
    assert not number_faults(printed[0])
    assert len(result["skipped"]) == others
    counted = [int(re.match(r"(\d+) other files? (?:was|were) not read", text)[1]) for text in rest]
    assert counted == ([others] if others else [])


@pytest.mark.parametrize("frame", FRAMES)
def test_a_row_of_every_frame_has_a_noun(frame):
    noun = _row_noun(frame)
    assert noun == frame or plural_form(noun) == frame


def test_a_single_row_is_singular():
    line = run_line(IngestedRun("a.csv", "id", "minimalloc", "a", "new", FRAME_ROWS, []))
    assert re.findall(r"(\d+) (\w+)", line) == [("1", "attempt"), ("2", "events")]
