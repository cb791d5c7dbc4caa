"""docs/security.md says of every route and callback what answers it, as the application has them."""

import json
import re
from pathlib import Path

import pytest

from app.config.settings import load_settings
from app.pages.registry import PAGES
from app.server.factory import create_app
from app.server.render.lanes import HEALTH, Lanes

LANES = Lanes(PAGES)
TEXT = (
    (Path(__file__).parents[3] / "docs" / "security.md")
    .read_text()
    .partition("### What bounds each request")[2]
)
ROWS = [
    line.strip("| ").split(" | ")
    for line in TEXT.splitlines()
    if line.startswith(("| `", "| callbacks"))
]


def rows_of(*, callbacks):
    """Return what is named -> what it is answered by."""
    rows = [row for row in ROWS if row[0].startswith("callbacks") == callbacks]
    return {name: row[1] for row in rows for name in re.findall(r"`([^`]+)`", row[0])}


ROUTES, CALLBACKS = rows_of(callbacks=False), rows_of(callbacks=True)


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    made = create_app(load_settings(data=tmp_path_factory.mktemp("data")))
    made.server.test_client().get(HEALTH)
    return made


def answered_by(table, wanted):
    """Return what the longest beginning of a name says."""
    fitting = [
        name for name in table if wanted == name or (wanted.startswith(name) and name != "/")
    ]
    return table[max(fitting, key=len)] if fitting else None


def test_every_route_has_a_row_and_is_answered_as_it_says(app):
    for rule in app.server.url_map.iter_rules():
        if rule.rule == "/_dash-update-component":
            continue
        for method in rule.methods - {"HEAD", "OPTIONS"}:
            said = answered_by(ROUTES, f"{method} {rule.rule}") or answered_by(ROUTES, rule.rule)
            assert said == expected_of(method, rule.rule), (method, rule.rule)


def expected_of(method, rule):
    if rule == HEALTH:
        return "at once"
    if LANES.classify_path(rule, {}):
        return "render process"
    return "slow thread" if LANES.is_slow(method, rule, b"") else "server"


def test_every_callback_has_a_row_and_is_answered_as_it_says(app):
    for output, callback in app.callback_map.items():
        if "callback" not in callback or "_pages_content" in output:
            continue
        name = re.sub(r'^(\.\.)?(\{.*?"type":")?', "", output)
        body = json.dumps({"output": output}, separators=(",", ":")).encode()
        in_server = (
            "slow thread" if LANES.is_slow("POST", "/_dash-update-component", body) else "server"
        )
        expected = "render process" if LANES.classify_callback({"output": output}) else in_server
        assert answered_by(CALLBACKS, name) == expected, output
