"""Peaks of files of each source that records uses: late frees that are planted are found, and none are invented."""

import re

import pytest

from app.config.settings import load_settings
from app.context import AppContext
from app.run_records import peaks_record
from ingest.files import ingest
from schema.choices import METHODS
from services.run.data_cache import RunDataCache
from tests.support.deeploy_planted import write_deeploy
from tests.support.planted_files import drawn_tensors, write_tinygrad, write_xla

WRITERS = {"xla": write_xla, "tinygrad": write_tinygrad, "deeploy": write_deeploy}
SIZES = {"extent": 1, "live": 4}
"""Bytes of an element: sizes of XLA are bytes, of tinygrad numbers of floats."""
PLANTED = [*range(300, 330)]
CLEAN = [*range(400, 420)]

pytestmark = pytest.mark.usefixtures("compiled_search")


CASES = [
    pytest.param(
        (kind, seeds), id=f"{kind}-{len(seeds)}", marks=[pytest.mark.slow] * (len(seeds) > 10)
    )
    for kind in WRITERS
    for seeds in ((*PLANTED[:3], *CLEAN[:2]), (*PLANTED, *CLEAN))
]


@pytest.fixture(scope="module", params=CASES)
def peaks(request, tmp_path_factory):
    """Map each seed to the peak of its file, and to the tensors."""
    kind, seeds = request.param
    repository = AppContext.of(load_settings(data=tmp_path_factory.mktemp("data"))).repository
    cache = RunDataCache(repository)
    root = tmp_path_factory.mktemp("files")
    tensors = {seed: drawn_tensors(seed, late=seed in PLANTED) for seed in seeds}
    for seed, drawn in tensors.items():
        (root / f"seed{seed}").mkdir()
        WRITERS[kind](root / f"seed{seed}", drawn)
    found = {}
    for run in ingest(repository, [root], {}).runs:
        seed = int(re.search(r"seed(\d+)", run.file)[1])
        (peak,) = peaks_record(cache.get(run.run_id, METHODS[0], {}), None)["peaks"]
        found[seed] = peak, tensors[seed]
    yield found
    repository.catalogue.close()


@pytest.mark.slow
def test_parts_sum_to_the_peak(peaks):
    for peak, _ in peaks.values():
        assert sum(peak["parts"].values()) == peak["peak"] > 0


@pytest.mark.quick_every(3)
def test_each_planted_late_free_is_found(peaks):
    for seed in sorted({*PLANTED} & {*peaks}):
        peak, tensors = peaks[seed]
        frees = [advice for advice in peak["advice"] if advice["kind"] == "free_earlier"]
        assert [[block["block"] for block in advice["blocks"]] for advice in frees] == [[0]], seed
        # The file is as it would be without the late free: its peak is what the advice promises.
        size = frees[0]["blocks"][0]["size"]
        assert frees[0]["gain"] == peak["base"] - frees[0]["peak_after"] > 0
        assert frees[0]["gain"] <= size == SIZES[peak["kind"]] * tensors[0].size


def test_no_late_free_is_invented(peaks):
    invented = [
        seed
        for seed in sorted({*CLEAN} & {*peaks})
        if any(advice["kind"] == "free_earlier" for advice in peaks[seed][0]["advice"])
    ]
    assert invented == []
