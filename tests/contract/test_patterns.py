"""No regular expression of the project takes more than about linear time, whatever text it is given."""

from contextlib import suppress
from time import process_time

import pytest

from data_loaders.aie.settings import settings_from_path
from data_loaders.protocol import LoadError
from data_loaders.registry import get_loader
from tests.support.patterns import awkward, every_pattern

SHORT, LONG = 1_500, 6_000
FLOOR_S = 0.004
"""Below this a text of LONG is no trouble: what grows with the square takes many times that."""
MAX_S = 5
"""Of a file or a name: what is linear takes a tenth of it, what is quadratic ten times as much."""
MAX_RATIO = 9
"""Four is linear, sixteen quadratic."""
TIMES = 5
"""What else the machine does can double one measurement; what is quadratic is above in every one."""


def spent(pattern, text, times=1):
    """Return the least processor time of a search."""
    best = float("inf")
    for _ in range(times):
        begin = process_time()
        pattern.search(text)
        best = min(best, process_time() - begin)
    return best


@pytest.mark.slow
def test_there_are_patterns_of_every_kind_among_them():
    places = {found.place.partition(".")[0] for found in every_pattern()}
    assert {"analysis", "app", "data_loaders", "schema"} <= places
    assert any(isinstance(found.pattern.pattern, bytes) for found in every_pattern())


def growth(pattern, what, long_s):
    """Divide the processor time of a text of LONG by that of the same text of SHORT."""
    return long_s / max(spent(pattern, dict(awkward(pattern, SHORT))[what], 5), 1e-6)


@pytest.mark.slow
def test_a_pattern_takes_linear_time():
    slow = {}
    for found in every_pattern():
        for what, text in awkward(found.pattern, LONG):
            long_s = spent(found.pattern, text)
            if long_s > FLOOR_S:
                long_s = min(long_s, spent(found.pattern, text, 2))
            if long_s > FLOOR_S:
                if (ratio := growth(found.pattern, what, long_s)) > MAX_RATIO:
                    ratio = min(
                        growth(found.pattern, what, spent(found.pattern, text, 3))
                        for _ in range(TIMES)
                    )
                if ratio > MAX_RATIO:
                    slow.setdefault(f"{found.place} {found.pattern.pattern!r}", (what, ratio))
    assert slow == {}


HEADER = "ENGINE_BD   ENGINE_GDMA\n"
RESULT = (
    "; action = lmem_assign; tag = iteration_result; remark = r; status = success; lmem_type = LMEM_WEIGHT; op_type = t"
    "; op_name = n; addr = 0x0; size = 1; timestep_start = 0; timestep_end = 0; timestep_mode = "
)
UNITS = ("a", "/", " ", "a_", "a|", "|s:1", "tensor<0x", "; a = ", "0,", "[Deeploy] ", "-gemm_1")
FILES = {
    ("tpu_mlir", "compiler_profile_0.txt"): HEADER,
    ("tpu_mlir", "net.log"): RESULT,
    (
        "tpu_mlir",
        "net_final.mlir",
    ): 'module @a attributes {module.chip = "bm1684x"} {\n    func.func @main(',
    ("deeploy", "run.log"): "[Deeploy] ",
    ("deeploy", "memory_alloc.html"): "<html>Deeploy Memory Allocation var fig = ",
    ("minimalloc", "a.csv"): "id,lower,upper,size\n",
    ("aie", "a.json"): '[{"name": "process_name", "args": {"name": "core_trace for ',
    ("tinygrad", "a.jsonl"): '{"device": "',
}


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file[1])
def test_one_long_line_does_not_keep_a_loader_busy(file, tmp_path):
    loader, name = file
    for unit in UNITS:
        (tmp_path / name).write_text(FILES[file] + unit * (140_000 // len(unit)))
        begin = process_time()
        with suppress(LoadError):
            get_loader(loader).load(tmp_path / name, {})
        assert process_time() - begin < MAX_S, unit


@pytest.mark.parametrize("unit", UNITS)
def test_a_long_name_does_not_keep_a_loader_busy(unit):
    begin = process_time()
    settings_from_path(unit * 60_000)
    assert process_time() - begin < MAX_S
