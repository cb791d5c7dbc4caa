"""A log cut at every byte of its last lines, against a small model of what the notebook does with it."""

from itertools import pairwise

import pytest

from analysis.memory.reference import read_as_notebook, reference_frames
from data_loaders.tpu_mlir.log import TpuMlirLoader
from schema.diagnostics import diagnostics_frame
from schema.frames import complete, empty
from tests.support.tpu_log import HEAD, SLICED, STEM, Setting, attempt, buffer, log

WIDE = Setting("8,1,1,1,12", 1)
ODD = [buffer("plain", 0), buffer("1e5conv", 64, hold=1), buffer("层_1é", 128, start=2, end=0)]
FAILS = [buffer("c", 0), buffer("0x1f", None, size=300, hold=1)]
LOGS = {
    "settings as before": log(attempt(STEM[:2]), attempt(HEAD[:1])),
    "settings of a patch of several": log(attempt(STEM[:2]), attempt(HEAD[:3], WIDE)),
    "second line of a patch": log(attempt(STEM), attempt(ODD[:2], WIDE)),
    "first line of a patch": log(attempt(STEM), attempt(ODD[:1], WIDE), attempt(FAILS, SLICED)),
    "one patch": log(attempt(ODD, SLICED)),
}
MARKS = ("; action = lmem_assign", "; tag = iteration_result")
NUMBERS = ("addr", "size", "timestep_start", "timestep_end")


class StopsError(Exception):
    """The notebook ends with an error."""


def value_of(text):
    text = text.strip()
    try:
        float(text)
    except ValueError:
        if "0x" not in text:
            return text
    try:
        return int(text, 16 if "0x" in text else 10)
    except ValueError:
        raise StopsError from None


def fields_in(line):
    parts = (part.partition("=") for part in line.split(";")[1:])
    return {key.strip(): value_of(text) for key, _, text in parts if text}


def notebook(content):
    """Return the notebook's patches: (shape_secs, whether drawn, blocks as (name, address, size, start, end))."""
    try:
        lines = content.decode().split("\n")
    except UnicodeDecodeError:
        raise StopsError from None
    patches, setting, blocks = [], None, []
    for fields in [fields_in(line) for line in lines if all(mark in line for mark in MARKS)]:
        said = [
            (key, fields[key]) for key in ("allow_bank_conflict", "shape_secs") if key in fields
        ]
        if setting and setting != said:
            patches.append((setting, blocks))
            setting, blocks = None, [fields]
            continue
        blocks.append(fields)
        setting = setting or said
    return [shown(*patch) for patch in patches + ([(setting, blocks)] if setting else [])]


def shown(setting, blocks):
    if any(type(fields.get(key)) is not int for fields in blocks for key in NUMBERS):
        raise StopsError
    placed = [fields for fields in blocks if fields["status"] == "success"]
    top, rows = max((fields["addr"] + fields["size"] for fields in placed), default=0), []
    for fields in placed + [fields for fields in blocks if fields["status"] == "failed"]:
        address = fields["addr"] if fields in placed else top
        top += 0 if fields in placed else fields["size"]
        times = (fields["timestep_start"], fields["timestep_end"])
        rows.append((str(fields["op_name"]), address, fields["size"], *times))
    return (
        str(dict(setting).get("shape_secs", "")),
        all("one_loop" in fields for fields in blocks),
        rows,
    )


def ours(attempts, allocations, noticed, unread):
    """Return the same of method reference."""
    read = read_as_notebook(attempts, allocations, noticed, unread)
    if read.stops:
        raise StopsError
    made, blocks, findings = reference_frames(read)
    blocks = blocks.assign(last=blocks["end"] - 1)
    of = blocks.groupby("attempt")[["name", "address", "size", "start", "last"]]
    rows = {patch: list(group.itertuples(index=False, name=None)) for patch, group in of}
    undrawn = any(finding.code == "reference_patch_not_drawn" for finding in findings)
    return [
        (secs, not (undrawn and patch == len(made) - 1), rows[patch])
        for patch, secs in enumerate(made["shape_secs"])
    ]


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except StopsError:
        return "stops"


def loaded(path, content):
    """Return what `ours` reads of a log."""
    path.write_bytes(content)
    run = TpuMlirLoader().load(path, {})
    noticed = diagnostics_frame(run.diagnostics)
    return (
        run.frames["attempts"],
        run.frames["allocations"],
        noticed,
        run.frames.get("unread_lines", EMPTY),
    )


EMPTY = empty("unread_lines")


def last_result(content):
    """Return where the last result line of a log begins and ends."""
    begin = content.rfind(b"\n", 0, content.rfind(MARKS[1].encode())) + 1
    return begin, content.find(b"\n", begin)


def listed(attempts, allocations, noticed, unread):
    """Return the names of the blocks of each patch, as method reference splits them, None for the line that is cut."""
    read = read_as_notebook(attempts, allocations, noticed, unread)
    if read.stops:
        raise StopsError
    names = [*allocations["name"], None]
    borders = [*read.patches.starts, read.patches.end]
    return [
        [names[row] for row in read.patches.rows[begin:end]] for begin, end in pairwise(borders)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("text", [LOGS["second line of a patch"], LOGS["one patch"]])
def test_a_log_that_ends_at_any_byte_of_its_last_result_is_split_as_by_the_notebook(text, tmp_path):
    begin, end = last_result(text.encode())
    content = text.encode()
    attempts, allocations, noticed, _ = loaded(tmp_path / "whole.log", content[:begin])
    for cut in range(begin, end - len("1,1,1,1,1")):
        line = content[begin:cut].decode(errors="replace")
        unread = complete("unread_lines", {"line": [1], "text": [line], "read": [False]})
        theirs = outcome(notebook, content[:cut])
        found = outcome(listed, attempts, allocations, noticed, unread)
        assert len(found) == len(theirs), line
        assert theirs == "stops" or [len(patch) for patch in found] == [
            len(rows) for *_, rows in theirs
        ], line


@pytest.mark.slow
@pytest.mark.parametrize("end_of_line", [b"", b"\n", b"\r\n"], ids=["open", "newline", "crlf"])
@pytest.mark.parametrize("text", LOGS.values(), ids=LOGS)
def test_a_log_that_ends_at_a_field_or_a_digit_is_shown_as_by_the_notebook(
    text, end_of_line, tmp_path
):
    content = text.encode()
    begin, end = last_result(content)
    numbers = content.find(b"; addr", begin)
    values = [place + 3 for place in range(numbers, end) if content[place : place + 1] == b"="]
    for cut in {numbers, *values, *range(end - 5, end + 2)}:
        log = content[:cut].rstrip(b"\n") + end_of_line
        frames = loaded(tmp_path / "cut.log", log)
        assert outcome(ours, *frames) == outcome(notebook, log), content[begin:cut]


@pytest.mark.parametrize("end_of_line", [b"", b"\n"], ids=["open", "newline"])
def test_the_patches_before_a_last_line_without_settings_are_shown(end_of_line, tmp_path):
    whole = log(attempt(STEM), attempt(HEAD, WIDE)).encode()
    begin, _ = last_result(whole)
    cut = whole[: whole.find(b"; addr", begin)] + end_of_line
    made, blocks, _ = reference_frames(read_as_notebook(*loaded(tmp_path / "cut.log", cut)))
    assert made["shape_secs"].tolist() == ["1,1,1,1,1", WIDE.secs]
    assert blocks["name"].tolist() == [block.name for block in (*STEM, *HEAD[:-1])]


def test_a_newline_behind_a_line_that_is_cut_ends_the_file(tmp_path):
    whole = log(attempt(STEM), attempt(HEAD, WIDE)).encode()
    cut = whole[: whole.find(b"; addr", last_result(whole)[0])]
    *_, ends, unread = loaded(tmp_path / "open.log", cut)
    *_, noticed, found = loaded(tmp_path / "newline.log", cut + b"\n")
    assert found.to_dict("list") == unread.to_dict("list")
    assert set(ends["code"]) - set(noticed["code"]) == {"file_cut"}


def test_a_line_that_was_read_is_not_kept_as_unread(tmp_path):
    assert len(loaded(tmp_path / "net.log", log(attempt(STEM)).encode())[3]) == 0
    assert len(loaded(tmp_path / "open.log", log(attempt(STEM)).encode()[:-1])[3]) == 0
    assert len(loaded(tmp_path / "finish.log", log(attempt(STEM)).encode()[:-20])[3]) == 0
