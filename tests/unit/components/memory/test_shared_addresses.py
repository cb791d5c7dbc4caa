"""Levels of XLA whose values share addresses: one peak in curve, title, captions and tools."""

import re

import numpy as np
import pytest

from analysis.memory.alive import peak_blocks
from analysis.memory.in_use import peak_in_use
from analysis.memory.selection import MemorySelection
from app.config.settings import load_settings
from app.context import AppContext
from app.mcp.calls import call_tool
from components.memory.captions import live_caption
from components.memory.live_bytes import live_bytes
from components.memory.step_captions import alive_caption
from ingest.files import ingest
from services.run.data_cache import RunDataCache


@pytest.fixture(scope="module")
def module(tmp_path_factory, samples):
    """The context, the id and the maps by level of a module of XLA."""
    context = AppContext.of(load_settings(data=tmp_path_factory.mktemp("data")))
    (run,) = ingest(context.repository, [samples / "xla" / "two_layers"], {}).runs
    memory = RunDataCache(context.repository).get(run.run_id, "robust", {}).memory
    numbers = memory.attempts["attempt"].tolist()
    yield context, run.run_id, [memory.index.map(number) for number in numbers]
    context.repository.catalogue.close()


def bytes_in_use(amap):
    """Count the bytes of each step one by one, from the addresses of the blocks alive."""
    steps = amap.length
    used = np.zeros(steps, np.int64)
    blocks = amap.blocks[amap.blocks["kind"] != "constant"]
    for step in range(steps):
        alive = blocks[(blocks["start"] <= step) & (blocks["end"] > step)]
        rows = zip(alive["address"].tolist(), alive["size"].tolist(), strict=True)
        used[step] = len({byte for low, size in rows for byte in range(low, low + size)})
    return used


def sharing(maps):
    """Return the maps in which blocks share addresses."""
    return [amap for amap in maps if (amap.blocks["status"] == "shared").any()]


def test_the_peak_is_the_union_of_addresses(module):
    maps = sharing(module[2])
    assert maps
    for amap in maps:
        used = bytes_in_use(amap)
        assert peak_in_use(amap) == (used.max(), used.argmax())
        # The sum of the values exceeds the memory that any allocator needs.
        assert amap.whole("live_peak") > amap.whole("bound") >= used.max()


def test_the_curve_and_its_title_have_that_number(module):
    for amap in sharing(module[2]):
        used = bytes_in_use(amap)
        drawn = live_bytes([amap], MemorySelection(), "light")
        traces = {trace.name: trace for trace in drawn.data}
        assert np.nanmax(np.array(traces["live"].y, float)) == used.max()
        assert "union of addresses" not in traces
        assert "requested, with failed blocks" not in traces
        (point,) = [t for t in drawn.data if t.type == "scatter" and t.mode == "markers"]
        assert (*point.x, *point.y) == (used.argmax() + 0.5, used.max())


def test_titles_of_several_levels_never_exceed_their_bounds(module):
    drawn = live_bytes(module[2], MemorySelection(), "light")
    titles = [note.text for note in drawn.layout.annotations if "bound" in note.text]
    assert len(titles) == len([amap for amap in module[2] if amap.whole("live_peak")])
    units = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
    for title in titles:
        texts = re.search(r"peak ([\d.]+).([KMG]?i?B).*bound ([\d.]+).([KMG]?i?B)", title)
        peak, bound = (float(texts[at]) * units[texts[at + 1]] for at in (1, 3))
        assert peak <= bound


def test_captions_have_that_number(module):
    for amap in sharing(module[2]):
        used = bytes_in_use(amap)
        caption = str(live_caption([amap], MemorySelection(attempt=amap.number)))
        digits = [int(text) for text in re.findall(r"\d+", re.sub(r"[\u202f,]", "", caption))]
        assert {used.max(), used.argmax()} <= set(digits)
        assert amap.whole("live_peak") not in digits
        at_peak = alive_caption(amap, int(used.argmax()), chosen=False)
        assert "peak" in at_peak


@pytest.mark.slow
def test_the_tool_lists_the_blocks_of_that_step(module):
    context, run_id, maps = module
    for amap in sharing(maps):
        used = bytes_in_use(amap)
        result = call_tool(context, "memory_peak", {"run": run_id, "attempt": amap.number})
        data = result["structuredContent"]["data"]
        assert (data["peak_bytes"], data["step"]) == (used.max(), used.argmax())
        assert len(data["blocks"]) == len(peak_blocks(amap))
