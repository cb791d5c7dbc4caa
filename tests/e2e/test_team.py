"""What a team does: sign in, write notes, tag, pin, share views, and read what was done. Each role sees its own."""

import re
from contextlib import ExitStack, contextmanager

import pytest
from playwright.sync_api import expect

from components.runs.list_address import LIST_PATH, list_address
from tests.e2e.axe import grave, settle
from tests.e2e.conftest import cli, serving, wait_until_idle
from tests.e2e.readings import wait_until_equal

NOT_ALLOWED = "status of 40[13]"
"""Statuses for who is not signed in, or lacks a role."""
TEAM = {"admins": "ada", "editors": "edgar"}
PROXY = {"auth": "proxy", "trusted_proxies": "127.0.0.1/32"}
PROBLEM = "id,lower,upper,size,offset\na,0,3,100,0\nb,1,4,{size},100\n"
HOSTILE = """# Slower since Tuesday

<script>document.title = "taken"</script> <img src=x onerror="document.title = 'taken'">
<!-- a comment --> <iframe src="https://evil.example/"></iframe>

[script](javascript:document.title='taken') [data](data:text/html,<script>alert(1)</script>)
![picture](https://evil.example/x.png) ![own](/export/none/run.csv)

**bold** and `code`
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with three runs of the command line."""
    folder, files = tmp_path_factory.mktemp("team"), tmp_path_factory.mktemp("problems")
    for rank, name in enumerate(("alpha", "beta", "gamma")):
        (files / f"{name}.1024.csv").write_text(PROBLEM.format(size=60 + rank))
    cli("ingest", str(files), "--data", str(folder))
    return folder


@pytest.fixture(scope="module")
def team(store):
    """The address of a server behind a proxy that names people."""
    with serving(store, **PROXY, **TEAM) as address:
        yield address


@pytest.fixture
def tab_of(tabs, team):
    """Open a tab of a person."""
    with ExitStack() as opened:

        def open_tab(name, path=LIST_PATH):
            headers = {"X-Forwarded-User": name}
            page = opened.enter_context(tabs.watched(team, NOT_ALLOWED, headers=headers))
            page.goto(path)
            wait_until_idle(page)
            return page

        yield open_tab


def open_run(page, name):
    page.locator("#runs-grid .ag-row a", has_text=name).first.click()
    expect(page.locator(".ts-run-header")).to_be_visible()
    wait_until_idle(page)


def row(page, name):
    return page.locator("#runs-grid .ag-pinned-left-cols-container .ag-row", has_text=name)


def check_that_files_that_a_viewer_drops_go_nowhere(page):
    before = page.url
    kept = page.evaluate("""() => {
        const dropped = new DataTransfer();
        dropped.items.add(new File(["x"], "a.csv"));
        return ["dragenter", "dragover", "drop"].map((type) => !document.body.dispatchEvent(
            new DragEvent(type, {dataTransfer: dropped, bubbles: true, cancelable: true})));
    }""")
    assert kept == [True] * 3  # the browser does not open the file in place of the page
    expect(page.locator("body.ts-dragging")).to_have_count(0)
    assert page.url == before


@pytest.mark.slow
def test_a_viewer_is_offered_nothing_that_changes_a_run(tab_of):
    page = tab_of("victor")
    expect(page.locator("#user > button")).to_have_text("victor")
    for part in ("#upload-open", "#runs-delete", "#runs-baseline", "#runs-tag"):
        expect(page.locator(part)).to_have_count(0)
    page.keyboard.press("u")
    check_that_files_that_a_viewer_drops_go_nowhere(page)
    row(page, "alpha").locator(".ag-checkbox-input").check()
    expect(page.locator("#runs-open")).to_be_enabled()
    page.locator("#runs-views-menu summary").click()
    expect(page.locator("#runs-view-save")).to_have_count(0)
    open_run(page, "alpha")
    expect(page.locator("#run-notes")).to_be_hidden()
    page.goto("/audit")
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator("body")).to_contain_text("role admin")


@pytest.mark.slow
def test_notes_tags_and_pin_of_an_editor_are_there_for_everybody(tab_of):
    page = tab_of("edgar")
    open_run(page, "alpha")
    page.locator("#run-notes-edit").click()
    expect(page.locator("#run-notes-text")).to_be_focused()
    page.keyboard.type("never saved")
    page.locator("#run-notes-cancel").click()
    expect(page.locator("#run-notes-form")).to_be_hidden()
    expect(page.locator("#run-notes-edit")).to_be_focused()
    page.locator("#run-notes-edit").click()
    expect(page.locator("#run-notes-text")).to_have_value("")
    page.locator("#run-notes-text").fill("because **of this**")
    page.locator("#run-tag-new").fill("golden")
    page.keyboard.press("Enter")
    expect(page.locator("#run-tags .ts-tag")).to_have_text(["golden×"])
    expect(page.locator("#run-tag-new")).to_be_focused()
    expect(page.locator("#run-notes-text")).to_have_value("because **of this**")
    page.keyboard.type("two,words")
    page.keyboard.press("Enter")
    expect(page.locator("#run-notes-error")).to_contain_text("one word")
    page.locator("#run-tag-new").fill("odd")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Remove tag odd").click()
    expect(page.locator("#run-tags .ts-tag")).to_have_text(["golden×"])
    page.locator("#run-notes-save").click()
    expect(page.locator("#run-notes-shown strong")).to_have_text("of this")
    page.locator("#run-pin").click()
    expect(page.locator("#run-pin")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#run-pin")).to_be_focused()
    expect(page.locator("#run-notes-changed")).to_contain_text("edgar, ")

    viewer = tab_of("victor")
    expect(row(viewer, "alpha").locator(".ts-pin")).to_be_visible()
    expect(row(viewer, "alpha").locator(".ts-note")).to_have_attribute(
        "aria-label", "because **of this"
    )
    open_run(viewer, "alpha")
    expect(viewer.locator("#run-notes-shown strong")).to_have_text("of this")
    for part in ("#run-pin", "#run-notes-edit", "#run-tag-new", ".ts-chip-remove"):
        expect(viewer.locator(part)).to_have_count(0)
    viewer.locator("#run-tags a").click()
    expect(viewer).to_have_url(re.compile(r"/runs\?tag=golden$"))
    expect(viewer.locator("#runs-grid .ag-pinned-left-cols-container .ag-row")).to_have_count(1)


@pytest.mark.slow
def test_notes_of_two_people_do_not_overwrite_each_other(tab_of):
    first, second = tab_of("edgar"), tab_of("ada")
    for page, text in ((first, "theirs"), (second, "mine")):
        open_run(page, "gamma")
        page.locator("#run-notes-edit").click()
        page.locator("#run-notes-text").fill(text)
    first.locator("#run-notes-save").click()
    expect(first.locator("#run-notes-shown")).to_have_text("theirs")
    second.locator("#run-notes-save").click()
    expect(second.locator("#run-notes-error")).to_contain_text("Edgar changed")
    expect(second.locator("#run-notes-text")).to_have_value("mine")


def test_hostile_notes_run_and_fetch_nothing(tab_of):
    page = tab_of("edgar")
    asked, dialogs = [], []

    def note(dialog):
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", note)
    open_run(page, "beta")
    title = page.title()
    page.locator("#run-notes-edit").click()
    page.locator("#run-notes-text").fill(HOSTILE)
    page.locator("#run-notes-save").click()
    shown = page.locator("#run-notes-shown")
    expect(shown.locator("h3")).to_have_text("Slower since Tuesday")
    expect(shown.locator("code")).to_have_text("code")
    for tag in ("script", "img", "iframe"):
        expect(shown.locator(tag)).to_have_count(0)
    hrefs = "links => links.map(link => link.getAttribute('href'))"
    wait_until_equal(
        lambda: shown.locator("a").evaluate_all(hrefs),
        ["https://evil.example/x.png", "/export/none/run.csv"],
    )
    page.reload()
    expect(shown.locator("h3")).to_be_visible()
    wait_until_idle(page)
    expect(page).to_have_title(title)
    assert not [url for url in asked if "evil" in url or "/export/" in url]
    assert dialogs == []
    page.remove_listener("dialog", note)
    page.locator(".ts-back").click()
    expect(row(page, "beta").locator(".ts-note")).to_have_attribute(
        "aria-label", "Slower since Tuesday"
    )


@pytest.mark.slow
def test_selected_runs_are_tagged_and_the_first_tag_brings_its_filter(tab_of):
    page = tab_of("edgar")
    for name in ("beta", "gamma"):
        row(page, name).locator(".ag-checkbox-input").check()
    page.locator("#runs-tag").click()
    page.locator("#runs-tag-words").fill("nightly")
    page.keyboard.press("Enter")
    expect(page.locator("#runs-tag-dialog")).to_have_count(0)
    page.get_by_role("checkbox", name=re.compile("nightly")).check()
    expect(page.locator("#runs-grid .ag-pinned-left-cols-container .ag-row")).to_have_count(2)
    expect(page).to_have_url(re.compile("tag=nightly"))


@pytest.mark.slow
def test_a_view_is_saved_by_an_editor_and_applied_by_a_viewer(tab_of):
    page = tab_of("edgar", list_address("q=beta&sort=name"))
    page.locator("#runs-views-menu summary").click()
    page.locator("#runs-view-save").click()
    expect(page.locator("#runs-view-error")).to_contain_text("name")
    page.locator("#runs-view-name").fill("only beta")
    page.keyboard.press("Enter")
    expect(page.locator("#runs-views a")).to_have_text(["only beta"])
    expect(page.locator("#runs-view-name")).to_have_value("")

    viewer = tab_of("victor")
    viewer.locator("#runs-views-menu summary").click()
    viewer.locator("#runs-views a", has_text="only beta").click()
    expect(viewer).to_have_url(re.compile(r"/runs\?q=beta&sort=name$"))
    expect(viewer.locator("#runs-grid .ag-pinned-left-cols-container .ag-row")).to_have_count(1)
    expect(viewer.locator("#runs-views-menu[open]")).to_have_count(0)

    page.get_by_role("button", name="Delete view only beta").click()
    expect(page.locator("#runs-views a")).to_have_count(0)


@pytest.mark.slow
def test_a_pinned_run_stays_where_others_are_deleted(store, tab_of, tmp_path):
    other = tmp_path / "delta.1024.csv"
    other.write_text(PROBLEM.format(size=77))
    cli("ingest", str(other), "--data", str(store))
    page = tab_of("edgar")
    open_run(page, "alpha")
    if page.locator("#run-pin").get_attribute("aria-pressed") == "false":
        page.locator("#run-pin").click()
    expect(page.locator("#run-pin")).to_have_attribute("aria-pressed", "true")
    page.locator(".ts-back").click()
    for name in ("alpha", "delta"):
        row(page, name).locator(".ag-checkbox-input").check()
    page.locator("#runs-delete").click()
    page.locator("#runs-delete-confirm").click()
    expect(page.locator("#toast")).to_contain_text("pinned")
    expect(page.locator("#toast")).to_contain_text("alpha")
    expect(row(page, "delta")).to_have_count(0)
    expect(row(page, "alpha")).to_have_count(1)
    expect(page.locator("#runs-selected")).to_have_text("1 selected")


@pytest.mark.slow
def test_an_admin_reads_what_was_done(tab_of):
    editor = tab_of("edgar", list_address({"q": "gamma"}))
    open_run(editor, "gamma")
    editor.locator("#run-tag-new").fill("audited")
    editor.keyboard.press("Enter")
    expect(editor.locator("#run-tags")).to_contain_text("audited")
    page = tab_of("ada")
    page.locator("#user").click()
    page.locator("a.dropdown-item", has_text="Audit log").click()
    first = page.locator(".ts-audit tbody tr").first
    expect(first).to_contain_text("tag audited added")
    expect(page).to_have_title("Audit log · Tilescope")
    page.locator("#audit-user").fill("nobody")
    page.keyboard.press("Enter")
    expect(page.locator("#audit-body")).to_have_text("No entries.")
    expect(page).to_have_url(re.compile("user=nobody$"))
    page.go_back()
    expect(first).to_contain_text("tag audited added")
    expect(page.locator("#audit-user")).to_have_value("")
    first.locator("a").first.click()
    expect(page).to_have_url(re.compile(r"user=edgar"))
    expect(page.locator("#audit-user")).to_have_value("edgar")


@pytest.mark.slow
def test_axe_finds_nothing_serious_in_the_menu_of_a_user(tab_of):
    page = tab_of("ada")
    settle(page)
    page.locator("#user").click()
    expect(page.locator("a.dropdown-item").first).to_be_visible()
    settle(page)
    assert grave(page) == ([], [])


@pytest.fixture
def sign_in_tab(tabs, store, sign_in):
    """Open a tab of a server whose people sign in at the provider."""
    own = {
        "oidc_issuer": sign_in,
        "oidc_client_id": "tilescope",
        "oidc_client_secret": "x",
        "secret_key": "k" * 32,
    }
    styles = "https://cdn.jsdelivr.net/"  # of the provider's page

    @contextmanager
    def open_tab(**settings):
        with (
            serving(store, auth="oidc", **own, **TEAM, **settings) as address,
            tabs.watched(address, NOT_ALLOWED, beside=(sign_in, styles)) as page,
        ):
            page.route(f"{styles}**", lambda route: route.fulfill(body=""))
            yield page

    return open_tab


def answer_provider(page, name):
    page.locator("input[name=sub]").fill(name)
    page.locator("input[name=sub]").press("Enter")


@pytest.mark.slow
def test_people_sign_in_and_out(sign_in_tab):
    with sign_in_tab(anonymous="viewer") as page:
        page.goto(list_address({"q": "beta"}))
        expect(page.locator("#runs-open")).to_be_visible()
        expect(page.locator("#runs-delete")).to_have_count(0)
        page.locator("#sign-in").click()
        answer_provider(page, "edgar")
        expect(page).to_have_url(re.compile(r"/runs\?q=beta$"))
        expect(page.locator("#user > button")).to_have_text("edgar")
        expect(page.locator("#runs-delete")).to_be_visible()
        page.locator("#user").click()
        page.get_by_role("button", name="Sign out").click()
        expect(page.locator("body")).to_contain_text("You are signed out")
        page.goto(LIST_PATH)
        expect(page.locator("#sign-in")).to_be_visible()
        expect(page.locator("#runs-delete")).to_have_count(0)


@pytest.mark.slow
def test_a_page_whose_session_is_over_says_so(sign_in_tab):
    with sign_in_tab() as page:
        page.goto(LIST_PATH)  # which leads to the provider at once
        answer_provider(page, "victor")
        expect(page.locator("#runs-grid .ag-row").first).to_be_visible()
        wait_until_idle(page)
        page.context.clear_cookies()
        page.locator("#search").fill("beta")
        expect(page.locator("#toast")).to_contain_text("no longer signed in")
