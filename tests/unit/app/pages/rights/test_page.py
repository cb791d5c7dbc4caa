"""The page of rights: its table agrees with the operations and pages, and says who the reader is."""

import json

import pytest

from app.config.settings import Settings
from app.pages.page import PageRequest
from app.pages.registry import PAGES
from app.pages.rights.page import layout, may_use, sentences
from app.pages.rights.rights import RIGHTS
from app.request.user import EVERYONE, User, set_user
from app.server.access.roles import RouteRoles, page_roles
from app.server.api.registry import OPERATIONS
from schema.roles import Role
from tests.support.components import every, words

LISTED = {operation: right for right in RIGHTS for operation in right.operations}
USERS = {"victor": "viewer", "edgar": "editor", "ada": "admin"}


def test_every_operation_of_the_api_is_in_one_right_with_its_role():
    roles = {f"{one.method} {one.path}": one.needed_role for one in OPERATIONS}
    assert sum(len(right.operations) for right in RIGHTS) == len(LISTED)
    assert {name: right.role for name, right in LISTED.items()} == roles


def test_open_routes_need_no_role():
    routes = RouteRoles({}, page_roles(PAGES))
    for route in ("/healthz", "/metrics"):
        assert routes.required_role("GET", route, route) is RIGHTS[0].role
    assert [right.role for right in RIGHTS] == sorted(right.role for right in RIGHTS)


@pytest.mark.parametrize("column", [Role.NOBODY, Role.VIEWER, Role.EDITOR, Role.ADMIN])
def test_a_role_has_the_rights_of_the_roles_before_it(column):
    for right in RIGHTS:
        assert may_use(right, column, has_sign_in=True) == (column >= right.role)


def test_without_a_sign_in_everybody_has_all_rights_but_tokens_of_their_own():
    lacking = [right for right in RIGHTS if not may_use(right, EVERYONE.role, has_sign_in=False)]
    assert [right.needs_person for right in lacking] == [True]


def cells(page, label):
    """Return the texts of a column of the table, by the words of its rows."""
    heads = [words(head) for head in every(page, "Th") if head.scope == "col"]
    place = next(rank for rank, head in enumerate(heads) if head.startswith(label))
    rows = every(every(page, "Tbody")[0], "Tr")
    return {words(row.children[0]): words(row.children[place]) for row in rows}


def page_of(app, user):
    context = app.server.extensions["tilescope"]
    with app.server.test_request_context("/rights"):
        set_user(user)
        return layout(context, PageRequest("", "light"))


@pytest.mark.parametrize("name", USERS)
def test_the_page_marks_the_column_of_its_reader(signed_in, name):
    client = signed_in(name)
    role = Role[USERS[name].upper()]
    page = page_of(client.app, User(name, role, "proxy"))
    marked = [words(head) for head in every(page, "Th") if "(you)" in words(head)]
    assert marked == [f"{USERS[name]} (you)"]
    column = cells(page, USERS[name])
    assert column == {right.words: "yes" if role >= right.role else "–" for right in RIGHTS}
    assert client.get("/rights").status_code == 200


def test_without_a_sign_in_the_first_column_is_everybody(dashboard):
    page = page_of(dashboard.app, EVERYONE)
    marked = [words(head) for head in every(page, "Th") if "(you)" in words(head)]
    assert len(marked) == 1
    column = cells(page, marked[0])
    assert [row for row, cell in column.items() if cell != "yes"] == [
        right.words for right in RIGHTS if right.needs_person
    ]


@pytest.mark.parametrize(("host", "count"), [("127.0.0.1", 2), ("0.0.0.0", 2)])  # noqa: S104
def test_the_sentences_tell_who_reaches_the_server(tmp_path, host, count):
    texts = sentences(Settings(data=tmp_path, host=host), EVERYONE)
    assert len(texts) == count
    assert "admin" in texts[0]
    assert (host in texts[1]) == (host == "127.0.0.1")


@pytest.mark.slow
def test_the_menu_of_the_server_leads_to_the_page(dashboard, signed_in):
    for client in (dashboard, signed_in("victor")):
        assert '"/rights"' in json.dumps(client.get("/_dash-layout").json)
