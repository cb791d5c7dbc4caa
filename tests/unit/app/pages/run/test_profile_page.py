"""The page of a profile without a browser: what it lays out and what its callbacks answer."""

import json
import shutil

import pytest

from app.config.settings import Settings
from app.pages.run.snapshot import snapshot_html
from app.server.factory import create_app
from app.views.registry import parse
from ingest.files import ingest
from samples.tinygrad_capture import START, training
from samples.tinygrad_writer import Maker
from schema.devices import DEVICES, find_device
from services.run.data_cache import RunDataCache
from tests.support.dash_client import DashClient
from tests.support.profile_data import write_capture
from tests.support.tinygrad_export import export_lines

HOSTILE = "<img src=x onerror=alert(1)>%{x}{{7*7}}"
FAILED = "could not be drawn"


@pytest.fixture
def put(settings, tmp_path):
    """Take files in; return the run's id."""

    def take(path):
        return ingest(settings.repository(), [path], {}).runs[0].run_id

    return take


@pytest.fixture
def dashboard(settings):
    return DashClient(create_app(settings))


@pytest.fixture(scope="module")
def taken_in(tmp_path_factory):
    """Take the training in once; return the store's folder and the run's id."""
    folder = tmp_path_factory.mktemp("profile")
    repository = Settings(data=folder / "data").repository()
    return folder / "data", ingest(repository, [write_capture(folder / "training")], {}).runs[
        0
    ].run_id


@pytest.fixture
def settings(tmp_path, taken_in):
    """Settings of a store that has the training, whatever a test asks for first."""
    return Settings(data=shutil.copytree(taken_in[0], tmp_path / "data"), max_upload_mb=1)


@pytest.fixture
def run(taken_in):
    return taken_in[1]


@pytest.mark.slow
def test_the_page_has_every_view(dashboard, run):
    text = dashboard.open(f"/run/{run}")
    for part in (
        "training",
        "between markers",
        "find an event",
        "Roofline",
        "Memory map",
        "Devices",
        "run-kernels-grid",
    ):
        assert part in text
    assert FAILED not in text


@pytest.mark.slow
def test_the_page_is_a_function_of_its_address(dashboard, run):
    text = dashboard.open(f"/run/{run}", "?kind=r_8_8&program=0&search=E_8&window=100000-200000")
    for part in ("kernel r_8_8", "train @ 0 – train @ 1", "Match 1 of 6", '"void"'):
        assert part in text


@pytest.mark.quick_every(7)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "view", ["", "kernel=0&kind=r_8_8&program=0", "block=1&step=150000", "durations=first"]
)
def test_every_panel_follows_the_view(dashboard, run, theme, view):
    drawn = dashboard.drawn(run, view, theme)
    for panel in ("timeline", "durations", "roofline", "map", "live"):
        assert drawn[f"run-{panel}"]["figure"]["data"]
    assert FAILED not in json.dumps(drawn)


@pytest.mark.quick_every(4)
@pytest.mark.parametrize("part", ["kernel", "program", "alive", "block"])
def test_every_part_answers_for_what_is_not_there(dashboard, run, part):
    assert f"run-{part}-body" in dashboard.drawn(
        run, "kernel=999&program=999&block=999&attempt=99&kind=none"
    )


@pytest.mark.slow
def test_the_program_is_sent_when_it_changes(dashboard, run):
    values = {"run-view.data": "kind=r_8_8&program=0", "theme.data": "light", "run-id.data": run}
    answer = dashboard.callback("run-changes.data", **values)
    assert '"void"' in json.dumps(answer["run-changes"]["data"]["changes"]["run-program-body"])
    shown = answer["run-changes"]["data"]["shown"]
    assert dashboard.drawn(run, "kind=r_8_8&program=0", shown=shown) == {}
    other = dashboard.drawn(run, "kind=r_8_8&program=0&block=1", shown=shown)
    assert "run-block-body" in other
    assert "run-program-body" not in other


def test_peaks_are_settings_of_the_view(settings, run):
    data = RunDataCache(settings.repository()).get(
        run, "robust", parse("peak_flops=4TFLOPS").overrides
    )
    assert data.run["peak_flops"].iloc[0] == 4e12


@pytest.mark.slow
def test_a_known_device_is_a_setting_of_the_view(dashboard, settings, run):
    cache = RunDataCache(settings.repository())
    data = cache.get(run, "robust", parse("device=rtx+4090").overrides)
    known = find_device("RTX 4090")
    assert (data.run["peak_flops"].iloc[0], data.run["peak_bytes_per_s"].iloc[0]) == (
        known.peak_flops,
        known.peak_bytes_per_s,
    )
    own = cache.get(run, "robust", parse("device=rtx+4090&peak_flops=4TFLOPS").overrides)
    assert (own.run["peak_flops"].iloc[0], own.run["peak_bytes_per_s"].iloc[0]) == (
        4e12,
        known.peak_bytes_per_s,
    )
    assert known.name in "".join(
        dashboard.drawn(run, "device=rtx+4090")["run-roofline-answer"]["children"]
    )
    assert known.name not in "".join(dashboard.drawn(run)["run-roofline-answer"]["children"])


@pytest.mark.slow
def test_the_settings_offer_the_known_devices(dashboard, run):
    text = dashboard.open(f"/run/{run}", "?device=rtx+4090")
    assert all(f'"value": "{device.name}"' in text for device in DEVICES)
    assert (
        text.count(f'"value": "{find_device("RTX 4090").name}"') == 2
    )  # the choice, and that it is chosen


def test_hostile_names_reach_no_template_and_no_markup(dashboard, put, tmp_path):
    maker = (
        Maker("0.12")
        .device("CPU")
        .range("CPU", HOSTILE, START, START + 9)
        .marker(HOSTILE, START + 5)
    )
    run = put(write_capture(tmp_path / "hostile", maker))
    drawn = dashboard.drawn(run, "kernel=0")
    for panel in ("timeline", "durations", "roofline"):
        figure = drawn[f"run-{panel}"]["figure"]
        # The names of bars are painted on a canvas and never parsed.
        figure["layout"].get("meta", {}).pop("bars", None)
        text = json.dumps(drawn[f"run-{panel}"])
        assert FAILED not in text
        assert "<img" not in text


@pytest.mark.slow
def test_the_cards_of_a_kernel_take_no_room_before_one_is_selected(dashboard, run):
    for query, hidden in (("", True), ("kernel=0", False)):
        drawn = dashboard.drawn(run, query)
        for part in ("kernel", "program"):
            assert drawn[part]["hidden"] is hidden


@pytest.mark.slow
def test_a_run_without_times_lists_its_launches(dashboard, put, tmp_path):
    maker = Maker("0.14").device("CPU").range("USER", "realize", START, START + 9)
    run = put(write_capture(tmp_path / "untimed", maker.launch("CPU", 1, "r_8", START + 1)))
    text = dashboard.open(f"/run/{run}")
    assert '"value": "launches"' in text


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("what", ["rewrites", "export", "profile"])
def test_a_part_of_a_capture_is_shown_as_far_as_it_goes(dashboard, settings, put, tmp_path, what):
    (tmp_path / "part").mkdir()
    if what == "export":
        (tmp_path / "part" / "events.jsonl").write_text(export_lines())
    else:
        (tmp_path / "part" / f"{what}.pkl").write_bytes(getattr(training("0.14"), what)())
    run = put(tmp_path / "part")
    assert FAILED not in dashboard.open(f"/run/{run}")
    assert FAILED not in snapshot_html(settings.repository(), [run], "")


@pytest.mark.slow
def test_a_snapshot_has_the_chosen_kernel_its_buffers_and_its_source(settings, run):
    text = snapshot_html(settings.repository(), [run], "kernel=2&kind=r_8_8&program=0")
    for part in ("the chosen kernel", "buffers of the chosen kernel", "void ", "kernel totals"):
        assert part in text
    assert FAILED not in text
    assert ">colours<" not in text


@pytest.mark.slow
def test_a_snapshot_has_the_views_in_the_order_of_the_page(settings, run):
    text = snapshot_html(settings.repository(), [run], "")
    places = [
        text.index(f'<section class="{name}">')
        for name in ("timeline", "durations", "roofline", "map", "live")
    ]
    assert places == sorted(places)
    assert text.index('id="overview-0"') < text.index('id="timeline-0"')
