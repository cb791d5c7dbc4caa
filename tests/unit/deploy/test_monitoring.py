"""Dashboard and alerts: they ask for what `/metrics` of a server gives, and lead to what to do."""

import json
import re
import shutil
import subprocess
from itertools import combinations
from pathlib import Path

import pytest
import yaml

from app.config.settings import Settings
from app.server.factory import create_app

ROOT = Path(__file__).resolve().parents[3]
DASHBOARD = json.loads((ROOT / "deploy" / "grafana" / "tilescope.json").read_text())
RULES_FILE = ROOT / "deploy" / "prometheus" / "alerts.yml"
GROUPS = yaml.safe_load(RULES_FILE.read_text())["groups"]
RULES = {rule["alert"]: rule for group in GROUPS for rule in group["rules"]}
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
QUERIES = {
    f"{panel['title']} {one['refId']}": one["expr"] for panel in PANELS for one in panel["targets"]
}
EXPRESSIONS = {**QUERIES, **{name: rule["expr"] for name, rule in RULES.items()}}
OF_PROMETHEUS = {"up"}
"""Metrics that Prometheus itself makes."""
OF_TARGETS = {"job", "instance", "namespace"}
"""Labels that Prometheus gives to what it reads."""
WORDS = {
    "and",
    "or",
    "unless",
    "bool",
    "offset",
    "by",
    "without",
    "on",
    "ignoring",
    "group_left",
    "group_right",
}
MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
SAMPLE = re.compile(r"^(tilescope_\w+?)(?:\{(.*)\})? \S+$", re.MULTILINE)
SEVERITIES = {"critical", "warning"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Give the application of a server that has read a file and is to make backups."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "backups").mkdir()
    app = create_app(Settings(data=folder / "data", backup_to=str(folder / "backups")))
    body = (ROOT / "samples" / "minimalloc" / "harbour.81920.solved.csv").read_bytes()
    head = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/octet-stream"}
    answer = app.server.test_client().post(
        "/api/v1/runs?name=harbour.81920.solved.csv", data=body, headers=head
    )
    assert answer.status_code == 201, answer.text
    return app.server


@pytest.fixture(scope="module")
def given(server):
    """Give the labels of every metric, by its name."""
    found = {}
    for name, labels in SAMPLE.findall(server.test_client().get("/metrics").text):
        found.setdefault(name, set()).update(re.findall(r"(\w+)=", labels))
    return {name: labels for name, labels in found.items() if not name.endswith("_created")}


def selectors(expression):
    """Return the metrics of an expression, each with its matchers."""
    bare = re.sub(r"\b(?:by|without|on|ignoring)\s*\([^)]*\)", " ", expression)
    bare = re.sub(r"\[[^\]]*\]", " ", bare)
    found = []
    for name, body in re.findall(r"([A-Za-z_:][\w:]*)\s*(\{[^}]*\})?", _without_words(bare)):
        found.append((name, MATCHER.findall(body)))
    return found


def _without_words(text):
    """Leave out functions and words of the language, and what is within matchers as it is."""
    parts = re.split(r"(\{[^}]*\})", text)
    for index in range(0, len(parts), 2):
        parts[index] = re.sub(r"\b[A-Za-z_]\w*\s*(?=\()", " ", parts[index])
        parts[index] = re.sub(rf"\b(?:{'|'.join(WORDS)})\b", " ", parts[index])
    return "".join(parts)


def grouped_by(expression):
    """Return the labels that an expression groups by."""
    lists = re.findall(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)", expression)
    return {label.strip() for text in lists for label in text.split(",")}


def test_metrics_are_found_in_an_expression():
    text = 'sum by (job) (rate(a_total{x="1", y=~"b|c"}[5m])) / 2 > on (job) max(b) and c unless absent(up{x!="d"})'
    assert selectors(text) == [
        ("a_total", [("x", "=", "1"), ("y", "=~", "b|c")]),
        ("b", []),
        ("c", []),
        ("up", [("x", "!=", "d")]),
    ]
    assert grouped_by(text) == {"job"}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_a_server_gives_every_metric_and_label_that_is_asked_for(given, name):
    asked = selectors(EXPRESSIONS[name])
    assert asked
    assert {metric for metric, _ in asked} <= given.keys() | OF_PROMETHEUS
    known = OF_TARGETS.union(*(given.get(metric, ()) for metric, _ in asked))
    assert grouped_by(EXPRESSIONS[name]) <= known
    for metric, matchers in asked:
        assert {label for label, _, _ in matchers} <= OF_TARGETS | given.get(metric, set())


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_every_route_that_is_asked_for_is_there(server, name):
    routes = {rule.rule for rule in server.url_map.iter_rules()}
    for _, matchers in selectors(EXPRESSIONS[name]):
        for word in (
            part for label, _, text in matchers if label == "route" for part in _alternatives(text)
        ):
            assert [route for route in routes if re.fullmatch(word, route)], word


def _alternatives(text):
    """Return the patterns that a matcher has side by side, those in brackets too."""
    if found := re.fullmatch(r"(.*)\(([^)]*)\)(.*)", text):
        return [f"{found[1]}{part}{found[3]}" for part in found[2].split("|")]
    return text.split("|")


def test_the_dashboard_has_every_metric(given):
    shown = {metric for text in QUERIES.values() for metric, _ in selectors(text)}
    parts = {f"tilescope_http_request_seconds_{part}" for part in ("bucket", "sum", "count")}
    assert given.keys() - parts <= shown
    assert parts & shown


def test_every_panel_has_an_id_a_place_and_the_data_source_of_the_variable():
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))
    (source,) = [one for one in DASHBOARD["templating"]["list"] if one["type"] == "datasource"]
    wanted = {"type": "prometheus", "uid": f"${{{source['name']}}}"}
    for panel in PANELS:
        assert panel["title"]
        assert panel["datasource"] == wanted
        assert [one["datasource"] for one in panel["targets"]] == [wanted] * len(panel["targets"])
    assert not [
        one
        for one in DASHBOARD["templating"]["list"]
        if one["type"] == "query" and one["datasource"] != wanted
    ]
    assert DASHBOARD["id"] is None


def test_no_panel_lies_on_another():
    places = [(panel["id"], panel["gridPos"]) for panel in DASHBOARD["panels"]]
    assert all(place["x"] + place["w"] <= 24 for _, place in places)
    for (one, a), (other, b) in combinations(places, 2):
        apart = a["x"] + a["w"] <= b["x"] or b["x"] + b["w"] <= a["x"]
        above = a["y"] + a["h"] <= b["y"] or b["y"] + b["h"] <= a["y"]
        assert apart or above, (one, other)


def test_every_variable_of_a_query_is_one_of_the_dashboard():
    known = {one["name"] for one in DASHBOARD["templating"]["list"]} | {"__rate_interval"}
    assert {name for text in QUERIES.values() for name in re.findall(r"\$(\w+)", text)} <= known


def test_every_rule_has_a_name_of_its_own():
    assert len(RULES) == sum(len(group["rules"]) for group in GROUPS)
    assert len({group["name"] for group in GROUPS}) == len(GROUPS)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_waits_and_says_how_bad_it_is_and_what_to_do(name):
    rule = RULES[name]
    assert re.fullmatch(r"\d+[mh]", rule["for"])
    assert rule["labels"]["severity"] in SEVERITIES
    assert rule["annotations"].keys() == {"summary", "description", "runbook_url"}


@pytest.mark.parametrize("name", RULES)
def test_a_text_names_labels_that_its_rule_leaves(name):
    named = set(re.findall(r"\$labels\.(\w+)", str(RULES[name]["annotations"])))
    text = RULES[name]["expr"]
    assert named <= (grouped_by(text) if grouped_by(text) else OF_TARGETS)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_leads_to_the_section_that_says_what_to_do(name):
    page, _, anchor = RULES[name]["annotations"]["runbook_url"].partition("#")
    parts = re.split(r"^##+ ", (ROOT / page).read_text(), flags=re.MULTILINE)
    sections = {part.splitlines()[0].lower().replace(" ", "-"): part for part in parts}
    assert f"`{name}`" in sections[anchor]


def test_prometheus_does_what_the_rules_say():
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("Prometheus is not installed")
    for command in (
        ["check", "rules", str(RULES_FILE)],
        ["test", "rules", str(Path(__file__).with_name("alerts.yaml"))],
    ):
        done = subprocess.run([program, *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
