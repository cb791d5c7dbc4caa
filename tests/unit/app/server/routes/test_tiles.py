"""Tiles of timelines over HTTP: cached for ever, made once, and never of a run that is gone."""

import gzip
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.server.routes import tiles
from app.server.tile_folder import BUCKETS, TileFolder
from app.server.tile_sweep import TileSweep
from app.views import tile_address
from app.views.comparison.registry import parse as parse_comparison
from app.views.comparison.timelines import timeline_panel
from app.views.registry import RUN, parse
from app.views.tile_address import pack_settings
from components.timeline.tiles import TilePlace, tile_text
from services.comparison.data import Question
from services.run.tile_version import tile_version
from tests.support.access import SAME, Served, is_problem
from tests.support.aie_trace import trace_text
from tests.support.timeline_bars import bars_of, record_of, tile_bars
from tests.support.waiting import wait_until

NAME = "trace_mm_64_64_64.json"


def with_run(folder, **settings):
    """Return a server with one capture, and the id of its run."""
    served = Served(folder, **settings)
    answer = served.ask(
        "POST", f"/api/v1/runs?name={NAME}", served.token() | SAME, data=trace_text().encode()
    )
    return served, answer.json["runs"][0]["run_id"]


def address_of(served, run_id):
    """Return the address that the page of the run has for its tiles."""
    data = served.context.data.get(run_id, "robust", {})
    timeline = next(view for view in RUN.available_plots(data) if view.id == "timeline")
    return record_of(timeline.draw(data, parse(""), "light").figure)["tiles"]["address"]


@pytest.fixture(scope="module")
def open_server(tmp_path_factory):
    return with_run(tmp_path_factory.mktemp("open"))


def test_the_page_names_tiles_that_browsers_and_proxies_keep(open_server):
    served, run_id = open_server
    answer = served.ask("GET", f"{address_of(served, run_id)}/1/1", SAME)
    assert answer.status_code == 200
    assert (answer.mimetype, answer.headers["Vary"]) == ("application/json", "Accept-Encoding")
    control = answer.cache_control
    assert (control.public, control.immutable, control.max_age) == (True, True, 31_536_000)
    assert {bar.role for bar in tile_bars(answer.json)} >= {"event", "kernel"}


def test_a_tile_is_sent_compressed_and_not_twice(open_server):
    served, run_id = open_server
    path = f"{address_of(served, run_id)}/0/0"
    packed = served.ask("GET", path, SAME | {"Accept-Encoding": "gzip"})
    plain = served.ask("GET", path, SAME)
    assert json.loads(gzip.decompress(packed.data)) == plain.json
    again = served.ask("GET", path, SAME | {"If-None-Match": plain.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert packed.headers["ETag"] != plain.headers["ETag"]


@pytest.mark.slow
def test_a_tile_is_made_once_with_its_neighbours(tmp_path, monkeypatch):
    served, run_id = with_run(tmp_path)
    path = address_of(served, run_id)
    first = served.ask("GET", f"{path}/1/0", SAME)
    monkeypatch.setattr(served.context.data, "get", None)  # a call would fail
    assert served.ask("GET", f"{path}/1/0", SAME).data == first.data
    assert served.ask("GET", f"{path}/2/3", SAME).status_code == 200


@pytest.mark.slow
def test_readers_at_the_same_time_make_a_tile_once(tmp_path, monkeypatch):
    served, run_id = with_run(tmp_path)
    path = address_of(served, run_id)
    made = []
    entered = []
    make = TileFolder.making

    def enter(folder, key):
        entered.append(key)
        return make(folder, key)

    def write(*arguments):
        # By now both readers have found that no tile is kept.
        wait_until(lambda: len(entered) == 2)
        made.append(arguments[-1])
        return tile_text(*arguments)

    monkeypatch.setattr(TileFolder, "making", enter)
    monkeypatch.setattr(tiles, "tile_text", write)
    with ThreadPoolExecutor(2) as readers:
        asked = [readers.submit(served.ask, "GET", f"{path}/5/6", SAME) for _ in range(2)]
        first, second = [answer.result().data for answer in asked]
    assert first == second
    assert len(made) == len(set(made)) == len(TilePlace(5, 6).block)


@pytest.mark.slow
def test_a_tile_of_an_earlier_format_is_never_sent(tmp_path, monkeypatch):
    served, run_id = with_run(tmp_path)
    path = address_of(served, run_id)
    old = served.ask("GET", f"{path}/0/0", SAME)
    assert old.status_code == 200
    monkeypatch.setattr(tile_address, "TILE_FORMAT", tile_address.TILE_FORMAT + 1)
    monkeypatch.setattr(tiles, "tile_text", lambda *_: b'{"next": 1}')
    assert served.ask("GET", f"{path}/0/0", SAME).status_code == 404
    new = address_of(served, run_id)
    assert new != path
    assert served.ask("GET", f"{new}/0/0", SAME).json == {"next": 1}


@pytest.mark.slow
def test_the_tiles_of_a_deleted_run_and_of_earlier_content_are_deleted(tmp_path, monkeypatch):
    served, run_id = with_run(tmp_path)
    sweep = TileSweep(served.settings, served.catalogue)
    folder = TileFolder.of(served.settings)

    def kept():
        for _ in range(BUCKETS):
            sweep.take_round()
        return {version for bucket in range(BUCKETS) for version in folder.versions(bucket)}

    assert served.ask("GET", f"{address_of(served, run_id)}/0/0", SAME).status_code == 200
    ((kept_run, version),) = kept()
    assert kept_run == run_id
    monkeypatch.setattr(tile_address, "TILE_FORMAT", tile_address.TILE_FORMAT + 1)
    assert served.ask("GET", f"{address_of(served, run_id)}/0/0", SAME).status_code == 200
    ((_, later),) = kept()
    assert later != version
    assert served.ask("DELETE", f"/api/v1/runs/{run_id}", served.token() | SAME).status_code < 300
    assert kept() == set()


@pytest.mark.slow
def test_a_run_that_was_deleted_has_no_tiles(tmp_path):
    served, run_id = with_run(tmp_path)
    path = f"{address_of(served, run_id)}/0/0"
    assert served.ask("GET", path, SAME).status_code == 200
    assert served.ask("DELETE", f"/api/v1/runs/{run_id}", served.token() | SAME).status_code < 300
    assert served.ask("GET", path, SAME).status_code == 404


def test_an_address_of_other_content_has_no_tile(open_server):
    served, run_id = open_server
    path = address_of(served, run_id)
    version = tile_version(served.repository.find_run(run_id))
    for wrong in (
        path.replace(version, "0" * len(version)),
        path.replace("robust", "guess"),
        path.replace("auto", "some"),
        path.replace("light", "grey"),
    ):
        assert wrong != path
        assert served.ask("GET", f"{wrong}/0/0", SAME).status_code == 404


NO_PLACES = [
    *("0/1", "40/0", "3/8", "32/0", f"1/{10**30}", f"{'9' * 5000}/0", f"1/{'9' * 5000}"),
    *("NaN/0", "0/NaN", "-1/0", "1/-1", "0.5/0", "1e3/0", "0x1/0", "inf/0", "+1/0", "%201/0"),
    *("01/0", "1/01", "1/\u0661", "1/0/0", "1", "1/", "", "%00/0", "1/0%0a"),
]


@pytest.mark.parametrize("place", NO_PLACES, ids=range(len(NO_PLACES)))
def test_a_place_that_is_not_in_the_run_is_refused_in_a_sentence(open_server, place):
    served, run_id = open_server
    answer = served.ask("GET", f"{address_of(served, run_id)}/{place}", SAME)
    assert (answer.status_code, is_problem(answer)) == (404, True)
    assert "max-age" not in answer.headers.get("Cache-Control", "")


@pytest.mark.parametrize("kind", ["timeline", "minimalloc", "export", "table", "badge"])
def test_addresses_of_files_are_no_pages(open_server, kind):
    served, run_id = open_server
    for rest in (run_id, f"{run_id}/NaN/-1", f"{'9' * 5000}-x.csv"):
        answer = served.ask("GET", f"/{kind}/{rest}", SAME)
        assert (answer.status_code, is_problem(answer)) == (404, True)


def test_pages_of_other_sites_make_no_tiles(open_server):
    served, run_id = open_server
    path = f"{address_of(served, run_id)}/0/0"
    assert served.ask("GET", path, {"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_with_sign_in_only_the_reader_keeps_a_tile(tmp_path):
    served, run_id = with_run(tmp_path, auth="proxy", trusted_proxies="10.1.2.0/24")
    path = f"{address_of(served, run_id)}/0/0"
    assert served.ask("GET", path, SAME).status_code == 401
    answer = served.ask("GET", path, served.token("read"))
    assert answer.status_code == 200
    assert (answer.cache_control.private, answer.cache_control.public) == (True, False)
    assert {"Cookie", "Authorization", "Accept-Encoding"} <= set(answer.vary.as_set(True))


@pytest.mark.slow
def test_each_value_of_a_setting_has_tiles_of_its_own(open_server):
    served, run_id = open_server
    stored = address_of(served, run_id)
    kernels = []
    addresses = {stored}
    for query in ("warmup=1", "warmup=2", "warmup=1&clock_hz=2e9", "method=reference"):
        state = parse(query)
        data = served.context.data.get(run_id, state.method, state.overrides)
        timeline = next(view for view in RUN.available_plots(data) if view.id == "timeline")
        record = record_of(timeline.draw(data, state, "light").figure)
        addresses.add(record["tiles"]["address"])
        answer = served.ask("GET", f"{record['tiles']['address']}/0/0", SAME)
        assert answer.status_code == 200
        made = {(bar.start, bar.end) for bar in tile_bars(answer.json) if bar.role != "event"}
        kernels.append(made)
        assert len(made) == len(data.timeline.kept) + len(data.timeline.left_out)
    assert len(addresses) == 5


def test_settings_that_no_page_writes_have_no_tile(open_server):
    served, run_id = open_server
    path = address_of(served, run_id)
    settings = pack_settings({"warmup": "2"})
    assert path.count("/-/") == 1
    assert served.ask("GET", f"{path.replace('/-/', f'/{settings}/')}/0/0", SAME).status_code == 200
    wrong = (
        *("--", "", "%00", settings[:-1], f"{settings}=", "A" * 9_000, settings + "%0a"),
        # A setting with a value that is not valid, an unknown setting, and one that is empty.
        *(pack_settings({"warmup": text}) for text in ("-1", "NaN", "9" * 400, " ")),
        "bm89MQ",
    )
    for text in wrong:
        answer = served.ask("GET", f"{path.replace('/-/', f'/{text}/')}/0/0", SAME)
        assert (answer.status_code, is_problem(answer)) == (404, True), text


def test_comparisons_have_the_tiles_of_their_runs_moved_to_their_zero_point(open_server):
    served, run_id = open_server
    data = served.context.comparisons.get(Question((run_id,), (run_id,)))
    state = parse_comparison(f"base={run_id}&new={run_id}&iteration=2")
    drawn = timeline_panel(data, state, "light", side=1).figure
    record = record_of(drawn)
    tiles_record = record["tiles"]
    assert tiles_record["address"] == address_of(served, run_id)
    assert tiles_record["shift"] == record["extent"][0] - data.timelines[1].extent[0] != 0
    answer = served.ask("GET", f"{tiles_record['address']}/0/0", SAME)
    shown = {(bar.start, bar.end) for bar in bars_of(drawn) if bar.role == "kernel"}
    shift = tiles_record["shift"]
    tiled = {(b.start + shift, b.end + shift) for b in tile_bars(answer.json) if b.role == "kernel"}
    assert shown
    assert shown <= tiled
