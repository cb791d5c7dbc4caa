"""Large files through the upload dialog: in parts that outlive pauses, reloads, lost answers and killed servers."""

import itertools
import json
import re

import pytest
from playwright.sync_api import expect

from components.runs.list_address import LIST_PATH
from tests.e2e.axe import grave
from tests.e2e.conftest import wait_until_idle, watched
from tests.e2e.readings import wait_until_equal
from tests.e2e.uploads import choose_files
from tests.support.aie_trace import trace_text
from tests.support.live_server import running
from tests.support.tpu_log import ATTEMPTS, group_cache, log

pytestmark = pytest.mark.e2e

MIB = 2**20
PART = 8 * MIB
SIZE = 40 * MIB
DURATIONS = itertools.count(100)
NAME = "trace_mm_96_96_96.json"
KNOWN = """() => JSON.parse(localStorage.getItem("tilescope-uploads") || "[]")"""
STORE_GONE = {"detail": "The store does not answer."}
WRONG = r"status of (4\d\d|50\d)|ERR_"
"""What the browser writes about requests that this test makes fail."""


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """A server that may be killed, with a run and without uploads of other tests."""
    with running(tmp_path_factory.mktemp("parts")) as server:
        server.request(
            "/api/v1/runs?name=first.json",
            "POST",
            trace_text().encode(),
            {"Sec-Fetch-Site": "same-origin"},
        )
        yield server


@pytest.fixture
def page(browser, live):
    with watched(browser, f"http://127.0.0.1:{live.port}", WRONG) as opened:
        yield opened


@pytest.fixture
def trace(tmp_path):
    """A trace of five parts, another one each time; the space that fills it is what a pretty printer may write."""
    path = tmp_path / NAME
    return padded(path, trace_text(duration=next(DURATIONS)))


def padded(path, text, size=SIZE):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.rstrip() + " " * (size - len(text.rstrip()) - 1) + "\n")
    return path


def begin(page, *paths, **more):
    page.goto(LIST_PATH)
    wait_until_idle(page)
    choose_files(page, *paths, **more)


def row(page, state, name=""):
    return page.locator(f'.ts-upload[data-state="{state}"]', has_text=name)


def button(page, name):
    return page.get_by_role("button", name=re.compile(f"^{name} "))


class Held:
    """Parts that the page sends; from the one at `offset` on they are kept back until `go` is called."""

    def __init__(self, page, offset):
        self.page, self.offset, self.offsets, self.routes = page, offset, [], []
        page.route("**/api/v1/uploads/*", self._asked)

    def _asked(self, route):
        if route.request.method != "PATCH":
            return route.continue_()
        self.offsets.append(int(route.request.headers["upload-offset"]))
        if self.offset is not None and self.offsets[-1] >= self.offset:
            return self.routes.append(route)
        return route.continue_()

    def wait(self):
        """Return once a part is kept back."""
        row(self.page, "sending", "16.0 of 40.0 MiB").wait_for()
        while not self.routes:  # the page shows it before the next part is on its way
            self.page.evaluate("new Promise(requestAnimationFrame)")
        return self

    def go(self):
        self.offset = None
        return self


def upload_of(page):
    """Return the address of the one upload that the page remembers."""
    (known,) = page.evaluate(KNOWN)
    return "/api/v1/uploads/" + known["id"]


def offset_at(page, place):
    answer = page.request.head(place)
    return int(answer.headers["upload-offset"]) if answer.ok else None


@pytest.mark.slow
def test_an_upload_outlives_a_server_that_is_killed(page, live, trace):
    sent = []

    def killed_at_the_third(request):
        if request.method == "PATCH":
            sent.append(int(request.headers["upload-offset"]))
            if len(sent) == 3:
                live.kill()

    page.on("request", killed_at_the_third)
    begin(page, trace)
    expect(row(page, "retrying")).to_contain_text("The server does not answer")
    with page.expect_response(lambda answer: answer.request.method == "DELETE") as removed:
        live.start()
        expect(row(page, "taken")).to_contain_text("aie")
    expect(row(page, "taken")).to_contain_text("new")
    assert not kept(live, removed.value.url), "what was read does not stay in the store twice"
    assert sent[:3] == [0, PART, 2 * PART]
    assert sent[3] in (2 * PART, 3 * PART), "the third part came, or it did not"
    again = list(
        dict.fromkeys(sent[3:])
    )  # a server that has just begun may ask for a part once more
    assert again == list(range(sent[3], SIZE, PART))
    expect(page.locator("#runs-grid")).to_contain_text(NAME.removesuffix(".json"))
    wait_until_equal(lambda: page.evaluate(KNOWN), [])


def kept(live, place):
    """Return whether anything of an upload lies in the store."""
    return any((live.data / "frames" / "uploads" / place.rpartition("/")[2]).rglob("*"))


@pytest.mark.slow
def test_pause_stops_and_resume_goes_on(page, trace):
    held = Held(page, 2 * PART)
    begin(page, trace)
    held.wait()
    button(page, "Pause").focus()
    page.keyboard.press("Enter")
    expect(row(page, "paused")).to_contain_text("paused at 40 %")
    expect(button(page, "Resume")).to_be_focused()
    assert offset_at(page, upload_of(page)) == 2 * PART
    held.go()
    page.keyboard.press("Enter")
    expect(row(page, "taken")).to_contain_text("new")
    assert held.offsets == [0, PART, 2 * PART, 2 * PART, 3 * PART, 4 * PART]


@pytest.mark.slow
def test_pauses_grow_while_the_server_is_busy_and_end_when_the_browser_is_online(page, trace):
    answers = iter([{}, {}, {}, {"Retry-After": "3000"}])

    def busy(route):
        headers = next(answers, None) if route.request.method == "PATCH" else None
        return (
            route.continue_()
            if headers is None
            else route.fulfill(status=503, headers=headers, json=STORE_GONE)
        )

    page.route("**/api/v1/uploads/*", busy)
    page.clock.install()
    begin(page, trace)
    for seconds in (1, 2, 4):
        expect(row(page, "retrying")).to_contain_text(
            f"waiting {seconds} s: {STORE_GONE['detail']}"
        )
        page.clock.fast_forward(1000 * seconds)
    expect(row(page, "retrying")).to_contain_text(f"waiting 3000 s: {STORE_GONE['detail']}")
    page.context.set_offline(True)
    page.context.set_offline(False)
    expect(row(page, "taken")).to_contain_text("new")


@pytest.mark.slow
def test_a_file_that_changed_on_the_disk_is_not_waited_for(page, trace):
    held = Held(page, 2 * PART)
    begin(page, trace)
    held.wait()
    trace.write_text("another content")
    with page.expect_response(lambda answer: answer.request.method == "DELETE"):
        held.go().routes[0].continue_()
    expect(row(page, "refused")).to_contain_text("cannot be read any more")
    wait_until_equal(lambda: page.evaluate(KNOWN), [])


@pytest.mark.slow
def test_the_list_of_uploads_is_accessible(page, trace, tmp_path):
    (tmp_path / "notes.json").write_text("[]")
    held = Held(page, 2 * PART)
    begin(page, trace)
    held.wait()
    choose_files(page, tmp_path / "notes.json")
    expect(row(page, "refused")).to_be_visible()
    assert grave(page) == ([], [])
    button(page, "Cancel").click()
    expect(row(page, "cancelled")).to_be_focused()


@pytest.mark.slow
def test_cancel_removes_what_was_sent(page, live, trace):
    held = Held(page, 2 * PART)
    begin(page, trace)
    held.wait()
    place = upload_of(page)
    with page.expect_response(lambda answer: answer.request.method == "DELETE") as removed:
        button(page, "Cancel").click()
    assert removed.value.status == 204
    expect(row(page, "cancelled")).to_contain_text("cancelled")
    expect(page.get_by_role("status").filter(has_text="cancelled")).to_contain_text("1 file")
    assert offset_at(page, place) is None
    assert not kept(live, place)
    wait_until_equal(lambda: page.evaluate(KNOWN), [])


@pytest.mark.slow
def test_after_a_reload_the_same_file_goes_on_where_it_was(page, trace):
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    held = Held(page, 2 * PART)
    begin(page, trace)
    held.wait()
    page.reload()
    wait_until_idle(page)
    assert asked == ["beforeunload"]
    (known,) = page.evaluate(KNOWN)
    assert set(known) == {"name", "size", "lastModified", "id"}
    assert (known["name"], known["size"]) == (NAME, SIZE)
    stored = page.evaluate("Object.entries(localStorage).flat().join()")
    assert "core_trace" not in stored
    held.go()
    choose_files(page, trace)
    expect(row(page, "taken")).to_contain_text("new")
    assert held.offsets == [0, PART, 2 * PART, 2 * PART, 3 * PART, 4 * PART]
    wait_until_equal(lambda: page.evaluate(KNOWN), [])
    page.reload()
    assert asked == ["beforeunload"], "nothing is under way any more"


@pytest.mark.slow
def test_an_upload_that_expired_begins_anew(page, trace):
    held = Held(page, 2 * PART)
    begin(page, trace)
    held.wait()
    assert page.request.delete(upload_of(page), headers={"Sec-Fetch-Site": "same-origin"}).ok
    held.go().routes[0].continue_()
    expect(row(page, "taken")).to_contain_text("new")
    assert held.offsets == [0, PART, 2 * PART, *range(0, SIZE, PART)]


@pytest.mark.slow
def test_a_finish_whose_answer_was_lost_is_answered_again(page, trace):
    answers = []

    def lost_once(route):
        answers.append(route.fetch())
        return route.abort() if len(answers) == 1 else route.fulfill(response=answers[-1])

    page.route("**/api/v1/uploads/finish", lost_once)
    begin(page, trace)
    expect(row(page, "taken")).to_contain_text("unchanged")
    assert [answer.status for answer in answers] == [201, 200]
    expect(row(page, "taken")).to_have_count(1)
    wait_until_equal(lambda: page.evaluate(KNOWN), [])


@pytest.mark.slow
def test_who_is_not_signed_in_any_more_is_told_and_can_go_on_later(page, trace):
    held = Held(page, 2 * PART)
    begin(page, trace)
    held.wait()
    held.go().routes[0].fulfill(status=401, json={"detail": "Sign in first, or send a token."})
    expect(row(page, "refused")).to_contain_text("Sign in first")
    choose_files(page, trace)
    expect(row(page, "taken")).to_contain_text("new")
    assert held.offsets == [0, PART, 2 * PART, 2 * PART, 3 * PART, 4 * PART]


@pytest.mark.slow
def test_a_log_of_parts_is_read_with_its_companion(page, tmp_path):
    folder = tmp_path / "net"
    padded(folder / "small.log", log(*ATTEMPTS))
    (folder / "small.layer_group_cache.json").write_text(group_cache())
    asked = []
    page.on("request", lambda request: asked.append(request.url.partition("/api/v1")[2]))
    page.goto(LIST_PATH)
    page.locator("#upload-open").click()
    page.locator("#upload-settings").fill("hwid=bench")
    with page.expect_request("**/api/v1/uploads/finish") as finish:
        choose_files(page, folder, what="Choose a folder")
    assert len(finish.value.post_data_json["uploads"]) == 2
    assert finish.value.post_data_json["settings"] == {"hwid": "bench"}
    expect(row(page, "taken", "net/small.log")).to_contain_text("tpu_mlir")
    expect(row(page, "along", "net/small.layer_group_cache.json")).to_contain_text(
        "read along with small.log"
    )
    assert not [path for path in asked if path.startswith("/runs")]


@pytest.mark.slow
def test_folders_apart_from_each_other_are_sent_apart(page, tmp_path):
    for hwid, size in (("npu1", 1), ("npu2", 1), ("npu3", 40)):
        text = trace_text(duration=size + int(hwid[-1]))
        path = tmp_path / "out" / f"{hwid}-gemm_64_64_64-2_row_1_col" / "traces" / NAME
        padded(path, text, size * MIB)
    with (
        page.expect_request(re.compile("/api/v1/runs")) as form,
        page.expect_request("**/uploads/finish") as finish,
    ):
        begin(page, tmp_path / "out", what="Choose a folder")
    assert form.value.method == "POST"
    assert len(finish.value.post_data_json["uploads"]) == 1
    expect(row(page, "taken")).to_have_count(3)


@pytest.mark.slow
def test_what_no_loader_reads_is_told_in_words_and_nothing_stays(page, tmp_path):
    begin(page, padded(tmp_path / "notes.json", "no trace at all"))
    expect(row(page, "refused")).to_contain_text("no loader reads it")
    expect(page.get_by_role("status").filter(has_text="refused")).to_contain_text("1 refused")
    wait_until_equal(lambda: page.evaluate(KNOWN), [])


@pytest.mark.slow
def test_a_file_of_a_form_is_cancelled_and_the_others_are_sent(page, tmp_path):
    names = ("trace_mm_64_64_32.json", "trace_mm_64_32_32.json")
    for rank, name in enumerate(names):
        (tmp_path / name).write_text(trace_text(duration=200 + rank))
    held = []
    page.route("**/api/v1/runs*", lambda route: route.continue_() if held else held.append(route))
    with page.expect_request(re.compile("/api/v1/runs")) as first:
        begin(page, *[tmp_path / name for name in names])
    assert "name=" not in first.value.url
    with page.expect_request(re.compile("/api/v1/runs")) as again:
        page.get_by_role("button", name=f"Cancel {names[0]}").click()
    assert f"name={names[1]}" in again.value.url
    expect(row(page, "cancelled", names[0])).to_be_visible()
    expect(row(page, "taken", names[1])).to_be_visible()


@pytest.mark.slow
def test_hundreds_of_files_have_a_row_each(page, tmp_path):
    names = [f"notes-{rank:03}.json" for rank in range(300)]
    for name in names:
        (tmp_path / name).write_text(json.dumps([name]))
    begin(page, *[tmp_path / name for name in names])
    expect(row(page, "refused")).to_have_count(300)
    expect(page.locator("#upload-list").get_by_role("status")).to_have_text(
        "300 files · 300 refused"
    )
