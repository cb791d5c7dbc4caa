"""The registry of pages: what is said once in a page's record is known to everything that goes by the records."""

import json
from dataclasses import replace

import dash
import pytest
from dash import Dash, Input, Output, State, dcc, html

from app.pages.documented import markdown
from app.pages.keys_help import key_groups
from app.pages.page import POINTER_KEYS, ContentRequest, Page, PageContent, shown_keys
from app.pages.page_file import PageFile, PreparedFile
from app.pages.registry import PAGES
from app.server.access.roles import page_roles
from app.server.factory import create_app
from app.server.render.lanes import CALLBACKS, PAGE, Lanes, RenderWork
from app.views.registry import RUN
from components.runs.list_address import LIST_PATH
from schema.roles import Role
from tests.support.dash_client import DashClient


# The edits of a new page: its layout, its callbacks, its record (all three in a folder of its own), and its line in the
# registry.
def layout(_context, request):
    return html.Div(
        [
            dcc.Store(id="tally-view", data=request.query),
            html.P(f"{request.theme} {request.run_id}"),
        ]
    )


def register(app: Dash, _context):
    stores = Input("tally-view", "data"), State("tally-id", "data")

    @app.callback(Output("tally-body", "children"), *stores, prevent_initial_call=True)
    def show(query, _run_id):
        made.append(query)
        return f"for {query}"

    @app.callback(
        Output("tally-quick", "children"), Input("tally-view", "data"), prevent_initial_call=True
    )
    def show_at_once(query):
        return query


def prepare(_context, run_id):
    return PreparedFile("text/plain", lambda stream: f"{run_id}-{stream.write(b'tally')}.txt")


VIEWS = replace(RUN, name="tally", views=RUN.views[:2], jumps=())
TALLY = Page(
    name="tally",
    path="/run/<run_id>/tally",
    title="Tally of {run}",
    layout=layout,
    register=register,
    navigation="Tally",
    views=VIEWS,
    views_title="A tally",
    views_note="Only in tests.",
    keys_title="tally",
    keys=(*POINTER_KEYS, ("x", "count again")),
    snapshot=PageFile("/snapshot/tally/<run_id>", prepare),
    exports=(PageFile("/tally/<run_id>.txt", prepare),),
    exceptions=("tally-quick",),
    content=lambda _context, request: PageContent(f"{request.query} of today", {}),
)
REGISTRY = (*PAGES, TALLY)
made: list[str] = []


@pytest.fixture
def tally(settings):
    """A client of an application that has the page too."""
    catalogue = settings.catalogue()
    catalogue.create()
    catalogue.close()
    yield DashClient(create_app(settings, REGISTRY))
    dash.page_registry.pop(TALLY.name)
    made.clear()


def test_a_new_page_opens_at_its_address_with_query_theme_and_run(tally):
    tally.http.set_cookie("tilescope-theme", "dark")
    page = tally.open("/run/a1b2/tally", "?n=3")
    assert '"data": "n=3"' in page
    assert '"dark a1b2"' in page
    assert "tally-view" not in tally.open("/run/a1b2")


def test_a_new_page_is_in_navigation_and_help(tally):
    frame = json.dumps(tally.get("/_dash-layout").json)
    assert '"Tally"' in frame
    assert '"page": "tally"' in frame
    title, keys = key_groups(REGISTRY)["tally"]
    assert title == "tally"
    assert [key for key, _ in keys] == [
        *(shown_keys(key.keys) for key in RUN.keys),
        "drag",
        "click",
        "Esc",
        "x",
    ]


def test_the_address_follows_its_view_state(tally):
    followed = [
        one
        for one in tally.get("/_dash-dependencies").json
        if "tally-view.modified" in one["output"]
    ]
    assert [one["clientside_function"]["function_name"] for one in followed] == ["writeHistory"]


def test_its_views_are_documented():
    text = markdown(REGISTRY)
    section = text.partition("\n## A tally\n")[2].partition("\n## ")[0]
    assert "Only in tests." in section
    assert [view.title in section for view in VIEWS.views] == [True, True]
    assert text.startswith(markdown(PAGES).partition("\n## Keys")[0])


@pytest.mark.parametrize(
    ("path", "name"), [("/tally/ab.txt", "ab-5.txt"), ("/snapshot/tally/ab", "ab-5.txt")]
)
def test_its_files_are_saved_and_guarded_as_those_of_others(tally, path, name):
    answer = tally.get(path)
    assert answer.data == b"tally"
    assert name in answer.headers["Content-Disposition"]
    fetched_by_others = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "no-cors",
        "Sec-Fetch-Dest": "image",
    }
    assert tally.get(path, headers=fetched_by_others).status_code == 403


def test_its_responses_are_kept_while_its_content_is_the_same(tally):
    values = {"tally-id.data": "a1b2"}
    answers = [
        tally.post("tally-body.children", **values, **{"tally-view.data": query}) for query in "aab"
    ]
    assert [answer.json["response"]["tally-body"]["children"] for answer in answers] == [
        "for a",
        "for a",
        "for b",
    ]
    assert made == ["a", "b"]


def test_the_lanes_know_its_layout_its_callbacks_and_its_files():
    lanes = Lanes(REGISTRY)
    values = [{"id": "_pages_location", "property": "pathname", "value": "/run/a1b2/tally"}]
    assert lanes.classify_callback({"output": f"..{PAGE}..", "inputs": values}) == RenderWork(
        "a1b2"
    )
    assert lanes.classify_callback({"output": "tally-body.children"}) is not None
    assert lanes.classify_callback({"output": "tally-quick.children"}) is None
    assert not lanes.is_slow(
        "POST", CALLBACKS, json.dumps({"output": "tally-quick.children"}).encode()
    )
    assert lanes.classify_path("/tally/a1b2.txt", {"run_id": "a1b2"}) == RenderWork(
        "a1b2", is_file=True
    )
    quick = Lanes((replace(TALLY, is_slow=False),))
    assert quick.classify_callback({"output": f"..{PAGE}..", "inputs": values}) is None
    assert quick.classify_callback({"output": "tally-quick.children"}) is not None


@pytest.mark.parametrize("role", [Role.EDITOR, Role.ADMIN])
def test_the_gate_knows_a_page_of_another_role_and_its_files(role):
    routes = {"/tally", "/tally/<run_id>.txt", "/snapshot/tally/<run_id>"}
    assert page_roles((replace(TALLY, path="/tally", role=role),)) == dict.fromkeys(routes, role)
    assert page_roles((TALLY,)) == {}


def test_names_paths_and_ids_are_of_one_page_each():
    assert len({page.name for page in PAGES}) == len({page.path for page in PAGES}) == len(PAGES)
    begins = [f"{page.name}-" for page in PAGES]
    assert not [one for one in begins for other in begins if one != other and one.startswith(other)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_of_views_has_the_ids_of_its_views(page):
    if page.views:
        assert (page.name, page.view, page.subject) == (
            page.views.name,
            page.views.view,
            page.views.subject,
        )
        assert page.views_title
    elif page.help_keys:
        # the browser knows it by the end of its address
        assert page.path.rpartition("/")[2] in ("", page.name)
    assert bool(page.keys_title) == bool(page.help_keys)


@pytest.mark.parametrize(
    ("path", "name", "run_id"),
    [
        ("/", "landing", ""),
        (LIST_PATH, "runs", ""),
        ("/run/a1b2", "run", "a1b2"),
        ("/run/a1b2/", "run", "a1b2"),
        ("/run/a1b2/lab", "lab", "a1b2"),
        ("/trends", "trends", ""),
        ("/run", None, None),
        ("/run/a/b", None, None),
    ],
)
def test_a_path_is_of_one_page(path, name, run_id):
    found = {
        page.name: page.match_path(path) for page in PAGES if page.match_path(path) is not None
    }
    assert found == ({name: run_id} if name else {})


def test_a_record_says_what_its_content_is_of():
    assert TALLY.content(None, ContentRequest("a1b2", "n=3", is_layout=True)) == PageContent(
        "n=3 of today", {}
    )
