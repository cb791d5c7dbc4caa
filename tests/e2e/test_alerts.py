"""Alerts: a regression that is ingested reaches a receiver once and signed; the page shows it without the secrets."""

import hashlib
import hmac
import json

import pytest
from playwright.sync_api import expect

from app.config.settings import Settings
from tests.e2e.conftest import cli, serving, wait_until_idle
from tests.support.marks import quick_first
from tests.support.paced_trace import ingest_night
from tests.support.receivers import receiving

SECRET = "0123456789abcdef"  # noqa: S105 - of this test alone
HIDDEN = "hidden-part-of-the-address"
TEAM = {"admins": "ada", "editors": "edgar", "auth": "proxy", "trusted_proxies": "127.0.0.1/32"}
NOT_ALLOWED = "status of 40[13]"
_BUTTONS_IN_SIGHT = """() => {
    const buttons = [...document.querySelectorAll("#alerts-body button")];
    return buttons.length >= 2 && buttons.every((button) => {
        const {left, right} = button.getBoundingClientRect();
        return left >= 0 && right <= innerWidth;
    });
}"""


@pytest.fixture
def receiver():
    with receiving() as server:
        yield server


@pytest.fixture
def store(tmp_path, receiver, monkeypatch):
    """A store with four nights, a rule, and an alert set by command that has looked once."""
    monkeypatch.setenv("TILESCOPE_ALERT_HOSTS", receiver.host)
    monkeypatch.setenv("TILESCOPE_ALERT_SECRET", SECRET)
    folder = tmp_path / "data"
    repository = Settings(data=folder).repository()
    for night in range(1, 5):
        ingest_night(repository, tmp_path, night)
    repository.catalogue.close()
    place = ("--data", str(folder))
    cli("baseline", "rule", "set", "nightly", "--last", "3", "--branch", "main", *place)
    cli(
        "alert",
        "set",
        "team",
        "--rule",
        "nightly",
        "--webhook",
        f"http://{receiver.host}/{HIDDEN}",
        *place,
    )
    cli("alert", "run", *place)
    assert receiver.got == []
    return folder


def ingest_regression(folder, files):
    repository = Settings(data=folder).repository()
    run_id = ingest_night(repository, files, 5, longer={"3,1": 120})
    repository.catalogue.close()
    return run_id


def check_signature(headers, body):
    """Fail where a message is not signed with the secret."""
    stamp, signature = headers["Tilescope-Signature"].split(",")
    text = stamp.removeprefix("t=").encode() + b"." + body
    assert signature == f"v1={hmac.new(SECRET.encode(), text, hashlib.sha256).hexdigest()}"


def set_by_form(page, receiver):
    """Set an alert with the form, send a test through it, and delete it."""
    rows = page.locator("#alerts-body section").first.locator("tbody tr")
    page.get_by_text("Set an alert").click()
    page.get_by_label("name", exact=True).fill("second")
    page.get_by_label("webhook address").fill("http://10.9.8.7/")
    page.get_by_role("button", name="Set alert").click()
    expect(page.locator("#alerts-result")).to_contain_text("10.9.8.7")
    expect(rows).to_have_count(1)
    page.get_by_label("webhook address").fill(f"http://{receiver.host}/{HIDDEN}")
    page.get_by_role("button", name="Set alert").click()
    expect(rows).to_have_count(2)
    expect(page.get_by_label("webhook address")).to_have_value("")
    expect(rows.filter(has_text="second")).to_contain_text(receiver.host)
    before = len(receiver.got)
    rows.filter(has_text="second").get_by_role("button", name="Send test").click()
    expect(page.locator("#alerts-body section").last.locator("tbody tr")).to_have_count(3)
    receiver.wait_for_messages(before + 1)
    assert len(receiver.got) == before + 1
    rows.filter(has_text="second").get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(rows).to_have_count(1)


@pytest.mark.slow
def test_a_regression_is_told_once_and_the_page_shows_no_secret(tabs, store, receiver, tmp_path):
    run_id = ingest_regression(store, tmp_path)
    for _ in range(2):
        cli("alert", "run", "--data", str(store))
    ((path, headers, body),) = receiver.got
    told = json.loads(body)
    assert (path, headers["Tilescope-Event"], told["run"]["run_id"]) == (
        f"/{HIDDEN}",
        "regressed",
        run_id,
    )
    check_signature(headers, body)
    as_admin = {"X-Forwarded-User": "ada"}
    with (
        serving(store, **TEAM) as address,
        tabs.watched(address, NOT_ALLOWED, headers=as_admin) as page,
    ):
        page.goto("/")
        page.locator("#user > button").click()
        page.get_by_role("link", name="Alerts").click()
        messages = page.locator("#alerts-body section").last.locator("tbody tr")
        expect(messages).to_have_count(1)
        expect(messages).to_contain_text(receiver.host)
        wait_until_idle(page)
        page.get_by_role("button", name="Send test").click()
        expect(page.locator("#alerts-result")).not_to_be_empty()
        expect(messages).to_have_count(2)
        receiver.wait_for_messages(2)
        assert [headers["Tilescope-Event"] for _, headers, _ in receiver.got] == [
            "regressed",
            "test",
        ]
        check_signature(*receiver.got[1][1:])
        set_by_form(page, receiver)
        page.set_viewport_size({"width": 400, "height": 900})
        # A button outside of the page would need a sideways scroll inside of the table.
        page.wait_for_function(_BUTTONS_IN_SIGHT)
        shown = page.content()
        assert HIDDEN not in shown and SECRET not in shown


@pytest.mark.slow
def test_the_loop_of_a_server_tells_a_regression_that_is_ingested_while_it_runs(
    store, receiver, tmp_path
):
    with serving(store, alert_every_s="0.5"):
        run_id = ingest_regression(store, tmp_path)
        receiver.wait_for_message()
    assert [json.loads(body)["run"]["run_id"] for _, _, body in receiver.got] == [run_id]
    check_signature(*receiver.got[0][1:])


@pytest.mark.slow
@pytest.mark.parametrize("name", quick_first("victor", "edgar"))
def test_who_is_no_admin_sees_no_alerts(tabs, store, name):
    with (
        serving(store, **TEAM) as address,
        tabs.watched(address, NOT_ALLOWED, headers={"X-Forwarded-User": name}) as page,
    ):
        page.goto("/alerts")
        expect(page.locator("body")).to_contain_text("role admin")
        expect(page.locator("#alerts-body")).to_have_count(0)
