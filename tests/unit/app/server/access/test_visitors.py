"""Browsers of people who do not sign in: each has a search of the lab of its own, behind one address too."""

import re

import pytest

from app.config.settings import Settings
from app.request.visitors import VISITOR_COOKIE
from app.server.factory import create_app
from app.views.lab.registry import LAB
from ingest.files import ingest
from services.lab.searches import Searches
from tests.support.access import MODES
from tests.support.dash_client import DashClient

LONG = "strategy=hill_climb&effort=200000000"


class Visitor(DashClient):
    """A browser at the page of the lab of a run."""

    def __init__(self, app, run_id):
        super().__init__(app)
        self.http.environ_base["HTTP_SEC_FETCH_SITE"] = "same-origin"
        self.run_id = run_id
        self.open(f"/run/{run_id}/lab", f"?{LONG}")

    @property
    def cookie(self):
        return self.http.get_cookie(VISITOR_COOKIE)

    def click(self, button):
        """Click and return what is said beside the buttons."""
        changed = f"{button}.n_clicks"
        values = {changed: 1, LAB.view + ".data": LONG, LAB.subject + ".data": self.run_id}
        answer = self.post("lab-status.children", changed=changed, **values)
        assert answer.status_code == 200, answer.text
        return answer.json["response"]["lab-status"]["children"]

    @property
    def searching(self):
        """Return whether the page shows a search of this browser's."""
        return '"id": "lab-cancel", "className": "ts-button", "hidden": false' in self.open(
            f"/run/{self.run_id}/lab", f"?{LONG}"
        )

    @property
    def stopping(self):
        """Return whether this browser's search was cancelled."""
        way = "anonymous" if self.context.settings.auth == "proxy" else "everyone"
        return self.context.lab.searches.running(f"{way} {self.cookie.value}").stopping


@pytest.fixture(scope="module", params=["anonymous", "none"])
def served(request, tmp_path_factory, samples):
    """An application that does not ask who one is, and a run."""
    access = MODES["proxy"] | {"anonymous": "viewer"} if request.param == "anonymous" else {}
    settings = Settings(data=tmp_path_factory.mktemp("data"), **access)
    (run,) = ingest(settings.repository(), [samples / "minimalloc" / "harbour.81920.csv"], {}).runs
    return create_app(settings), run.run_id


def test_two_browsers_behind_one_address_search_at_once(served, monkeypatch):
    monkeypatch.setattr(Searches, "_run", lambda *_: None)  # it is begun, and nothing ends it
    one, two = Visitor(*served), Visitor(*served)
    begun = one.click("lab-solve")
    assert (one.searching, two.searching) == (True, False)
    assert two.click("lab-solve") == begun
    assert one.click("lab-solve") != begun
    two.click("lab-cancel")
    assert [browser.stopping for browser in (one, two)] == [False, True]


def test_a_page_of_the_lab_gives_a_browser_its_cookie_once(served):
    one, two = Visitor(*served), Visitor(*served)
    first = one.cookie
    assert (first.http_only, first.same_site, first.expires) == (True, "Lax", None)
    assert re.fullmatch("[0-9a-f]{32}", first.value)
    assert two.cookie.value != first.value
    assert not one.searching
    assert one.cookie.value == first.value


def test_what_is_no_cookie_of_ours_is_not_taken(served):
    browser = Visitor(*served)
    for sent in ("x", "0" * 31, "\u0661" * 32, "../" * 10):
        browser.http.set_cookie(VISITOR_COOKIE, sent)
        assert not browser.searching
        assert re.fullmatch("[0-9a-f]{32}", browser.cookie.value)


def test_other_pages_give_no_cookie(served):
    app, run_id = served
    browser = DashClient(app)
    for path in ("/", f"/run/{run_id}", "/trends"):
        browser.get(path)
    assert browser.http.get_cookie(VISITOR_COOKIE) is None
