"""The headline of a run: its page, the list of runs, the API and CSV say the same."""

import csv
import io
import json

from tests.support.command_line import run as run_command


def headline_of_page(page):
    """Return kind and text of the element with the headline on a run's page."""
    found = []

    def visit(node):
        if isinstance(node, dict):
            props = node.get("props", {})
            if isinstance(props, dict) and "data-headline" in props:
                found.append((props["data-headline"], props["children"]))
            for value in node.values():
                visit(value)
        elif isinstance(node, list):
            for value in node:
                visit(value)

    visit(json.loads(page))
    (headline,) = found
    return headline


def test_page_list_api_and_csv_have_one_headline(dashboard, upload, settings):
    upload()
    (stored,) = settings.catalogue().runs()
    outputs = [
        {"id": "runs-grid", "property": "rowData"},
        [],
        {"id": "runs-summary", "property": "children"},
        {"id": "runs-chips", "property": "children"},
        {"id": "runs-next", "property": "data"},
        {"id": "runs-select-all", "property": "children"},
        [],
    ]
    shown = dashboard.callback("runs-grid.rowData", outputs, **{"runs-view.data": ""})
    (row,) = shown["runs-grid"]["rowData"]
    kind, text = headline_of_page(dashboard.open(f"/run/{stored.run_id}"))
    assert (kind, text) == (row["headline_kind"], row["headline"])
    record = stored.record()["headline"]
    assert record["kind"] == kind
    assert record["value"] == stored.headline[record["metric"]]
    printed = run_command("runs", "--csv", "--data", settings.data).stdout
    (line,) = csv.DictReader(io.StringIO(printed))
    assert line["headline_kind"] == kind
    assert float(line["headline_value"]) == record["value"]
    assert line["headline_unit"] == record["unit"]
