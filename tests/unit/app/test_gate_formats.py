"""What `check` prints: units of the page, an address of the comparison, and names that are only names."""

import json
import re
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

import pytest

from analysis.comparison.cause import Cause
from app.gate_formats import FORMATS, comparison_url
from components.comparison.words import about, change_words, number
from ingest.files import ingest
from services.baselines.baselines import set_baseline
from services.gate.gate import check
from tests.support.aie_trace import trace_text

HOSTILE = 'a|b <img src=x onerror=alert(1)> [c](javascript:d) `e` & "q" ]]> \u202e\x07'
URL = "https://tiles.example/compare?base=a&new=b"


@pytest.fixture
def checked(repository, tmp_path):
    """Check a capture of an array against another one."""
    ids = []
    for name, kernels in (("a", 3), ("b", 4)):
        path = tmp_path / f"trace_mm_64_64_64_{name}.json"
        path.write_text(trace_text(kernels=kernels))
        known = {"m": "32", "k": "32", "n": "32", "rows": "2", "cols": "1"}
        ids.append(ingest(repository, [path], known).runs[0].run_id)
    set_baseline(repository, "main", ids[:1], user="me")
    return check(repository, ids[1:], "main", {})


@pytest.mark.parametrize("form", ["text", "junit", "markdown"])
def test_numbers_are_those_of_the_page_and_rates_have_no_escapes(checked, form):
    told = FORMATS[form](checked, URL)
    (row,) = (row for row in checked.comparison.rows if row.gates)
    assert "\\/" not in told
    assert about(row) in told
    if form != "junit" or row.judged.verdict != "unchanged":
        assert number(row.new, row) in told
        assert change_words(row) in told


@pytest.mark.quick_every(4)
@pytest.mark.parametrize("form", list(FORMATS))
def test_every_format_has_the_address_of_the_comparison(checked, form):
    assert "https://tiles.example/compare?base=" in FORMATS[form](checked, URL)


def test_the_address_has_the_runs_and_thresholds_below_the_public_one(checked):
    url = comparison_url(checked.comparison, {"gmacs_mean": 0.035}, "https://tiles.example/")
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    assert (parts.scheme, parts.netloc, parts.path) == ("https", "tiles.example", "/compare")
    assert checked.comparison.base[0]["run_id"].startswith(query["base"][0])
    assert checked.comparison.new[0]["run_id"].startswith(query["new"][0])
    assert query["threshold"] == ["gmacs_mean:3.5"]
    assert comparison_url(checked.comparison, {}, "").startswith("/compare?")


@pytest.mark.slow
def test_formats_escape_what_files_say(repository, tmp_path):
    ids = []
    for size in (64, 96):
        path = tmp_path / f"{size}.1024.csv"
        path.write_text(f'id,lower,upper,size,offset\na,0,3,100,0\n"<b>|x",1,4,{size},100\n')
        ids.append(ingest(repository, [path], {"name": HOSTILE + str(size)}).runs[0].run_id)
    set_baseline(repository, 'm|a <b>"in', ids[:1], user="me")
    checked = check(repository, ids[1:], 'm|a <b>"in', {})
    assert all(c.isprintable() or c in "\n\u202f" for c in FORMATS["text"](checked, URL))
    assert json.loads(FORMATS["json"](checked, URL))["verdict"] == "regressed"
    suite = ET.fromstring(FORMATS["junit"](checked, URL))  # noqa: S314
    cases = list(suite.iter("testcase"))
    assert [len(cases), len(list(suite.iter("failure"))), len(list(suite.iter("skipped")))] == [
        2,
        1,
        0,
    ]
    told = FORMATS["markdown"](checked, URL)
    assert not re.search(r"(?<!\\)<", told)
    assert not re.search(r"(?<!\\)\]\(", told)
    bars = {
        len(re.findall(r"(?<!\\)\|", line)) for line in told.splitlines() if line.startswith("|")
    }
    assert len(bars) == 1


def _solved(repository, folder):
    path = folder / "a.1024.csv"
    path.write_text("id,lower,upper,size,offset\na,0,3,100,0\nb,1,4,64,100\n")
    return ingest(repository, [path], {}).runs[0].run_id


@pytest.mark.slow
def test_junit_skips_what_is_not_decided(repository, tmp_path):
    set_baseline(repository, "main", [_solved(repository, tmp_path)], user="me")
    unsolved = tmp_path / "u.1024.csv"
    unsolved.write_text("id,lower,upper,size\na,0,3,100\nb,1,4,64\n")
    checked = check(repository, [ingest(repository, [unsolved], {}).runs[0].run_id], "main", {})
    suite = ET.fromstring(FORMATS["junit"](checked, URL))  # noqa: S314
    assert suite.get("skipped") == str(len(list(suite.iter("skipped")))) != "0"


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_at_most_20_causes_are_listed(checked, form):
    causes = [
        Cause("gmacs_mean", "kernels", f"core 2,{rank}", -1.0, "points") for rank in range(30)
    ]
    comparison = replace(checked.comparison, attribution=causes)
    lines = FORMATS[form](replace(checked, comparison=comparison), URL).splitlines()
    listed = [line for line in lines if "on core" in line]
    assert (len(listed), len([line for line in lines if "10 smaller causes" in line])) == (20, 1)
