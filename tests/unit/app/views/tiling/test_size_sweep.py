"""The view of efficiencies over M, K or N: when it is there, and what it draws."""

import json

from app.views.registry import RUN, parse
from app.views.state import RunState
from ingest.files import ingest
from services.run.data_cache import RunDataCache
from tests.support.gemm_trace import TILE, entries
from tests.support.paced_trace import array_cores, array_settings


def measure(repository, folder, k_tiles, **given):
    path = folder / f"{k_tiles}.json"
    cores = array_cores(longer=dict.fromkeys(("2,1", "3,1", "2,2", "3,2"), 10 * k_tiles))
    path.write_text(json.dumps(entries(*cores)))
    settings = array_settings() | {"K": str(TILE * k_tiles)} | given
    return ingest(repository, [path], settings).runs[0].run_id


def is_shown(data):
    return any(view.id == "sizesweep" for view in RUN.available_views(data))


def test_the_view_comes_with_a_second_size_and_draws_both(settings, tmp_path):
    repository = settings.repository()
    own, cache = measure(repository, tmp_path, 1), RunDataCache(repository)
    assert not is_shown(cache.with_saved(own, "robust", {}))
    measure(repository, tmp_path, 2)
    data = cache.with_saved(own, "robust", {})
    assert is_shown(data)
    (view,) = [view for view in RUN.available_views(data) if view.id == "sizesweep"]
    panel = view.draw(data, parse("size=K"), "light")
    kernel, system = panel.figure.data
    assert list(panel.figure.layout.xaxis.ticktext) == [str(TILE), str(2 * TILE)]
    assert system.y[0] == data.headline["utilization"] and kernel.y[0] > system.y[0] > 0
    assert "2 sizes" in panel.caption
    (table,) = view.tables(data, parse("size=K"))
    assert table.rows[0][-1] == own and len(table.rows) == 2
    assert "no other run" in view.draw(data, RunState(), "light").caption
