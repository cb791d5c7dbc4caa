"""The page of the audit log."""

import json
from itertools import chain

import pytest

from app.pages.audit.page import AT_ONCE
from app.pages.audit.state import AuditState, parse
from storage.audit import Audit


@pytest.fixture
def log(signed_in):
    return Audit(signed_in("ada").repository.catalogue)


def test_an_admin_reads_the_newest_entries_first(signed_in, log):
    log.add("edgar", "delete", "0123456789ab")
    log.add("<b>carol</b>", "view.save", "v1", "mine\u202e")
    page = signed_in("ada").open("/audit")
    assert page.index("<b>carol</b>") < page.index("0123456789ab")
    assert "\u202e" not in page


@pytest.mark.parametrize("name", ["edgar", "victor"])
def test_others_are_told_what_the_page_needs(signed_in, log, name):
    log.add("carol", "delete", "0123456789ab")
    other = signed_in(name)
    for path in ("/audit", "/audit/"):
        page = other.open(path)
        assert "role admin" in page
        assert "carol" not in page
    answer = other.post("audit-body.children", **{"audit-view.data": ""})
    assert "carol" not in answer.text
    assert other.get("/audit").status_code == 403


def test_without_sign_in_everybody_is_an_admin(dashboard):
    assert dashboard.get("/audit").status_code == 200
    assert "No entries." in dashboard.open("/audit")


def test_entries_are_filtered_by_user_and_action(signed_in, log):
    for user, action in (("edgar", "delete"), ("edgar", "update"), ("carol", "delete")):
        log.add(user, action, f"{user}-{action}")
    page = signed_in("ada").open("/audit", "?user=edgar&action=delete")
    assert "edgar-delete" in page
    assert "edgar-update" not in page
    assert "carol-delete" not in page


@pytest.mark.slow
def test_older_entries_follow_until_the_first(signed_in, log):
    for rank in range(2 * AT_ONCE + 1):
        log.add("edgar", "delete", f"run-{rank:03d}")
    admin, seen, query = signed_in("ada"), [], ""
    while query is not None:
        answer = admin.callback("audit-body.children", **{"audit-view.data": query})
        text = json.dumps(answer["audit-body"]["children"])
        seen.append([rank for rank in range(2 * AT_ONCE + 1) if f'"run-{rank:03d}"' in text])
        older = [link for link in links(answer["audit-body"]["children"]) if "before=" in link]
        query = older[0].partition("?")[2] if older else None
    assert [len(page) for page in seen] == [AT_ONCE, AT_ONCE, 1]
    assert sorted(chain(*seen)) == list(range(2 * AT_ONCE + 1))


def links(part):
    """Return the addresses that a part of a page leads to."""
    if isinstance(part, dict):
        props = part.get("props", {})
        own = [props["href"]] if "href" in props else []
        return own + links(props.get("children"))
    return [link for child in part for link in links(child)] if isinstance(part, list) else []


def test_filters_that_follow_the_address_leave_its_place(signed_in, log):
    admin = signed_in("ada")
    given = {"audit-user.value": "edgar", "audit-action.value": "*"}
    assert (
        admin.callback("audit-view.data", **given, **{"audit-view.data": "user=edgar&before=9"})
        == {}
    )
    other = admin.callback("audit-view.data", **given, **{"audit-view.data": "before=9"})
    assert other["audit-view"]["data"] == "user=edgar"


@pytest.mark.parametrize(
    "state", [AuditState(), AuditState("ä & b", "delete", 12), AuditState(action="view.save")]
)
def test_the_state_makes_the_round_trip(state):
    assert parse(state.query()) == state


@pytest.mark.parametrize(
    "query",
    ["before=-1", "before=x", "before=²", "action=nonsense", "user=+", "before=" + "9" * 30],
)
def test_what_is_malformed_is_passed_over(query):
    assert parse(query) == AuditState()
