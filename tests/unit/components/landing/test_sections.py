"""Sections of the landing page: counts, links and words of their rows."""

import re

import pytest

from analysis.comparison.series import SeriesKey
from analysis.comparison.status_row import (
    Acknowledged,
    CommitMoment,
    Since,
    Status,
    StatusPoint,
    StatusRow,
    StatusRun,
)
from analysis.comparison.status_sections import SECTIONS, status_sections
from components.comparison.status_links import since_address
from components.headline import headline_text
from components.landing.newest import NewestRun, newest_panel
from components.landing.sections import MAX_NEW, MAX_OTHER, Standings, section_panel
from components.landing.words import landing_sentence
from components.numbers import DASH
from components.runs.list_address import list_address
from schema.headlines import headline_of
from tests.support.components import every, words

AS_OF = "2026-11-20T09:00:00+00:00"
KNOWN = Acknowledged("ada", "new compiler", "2026-11-19T00:00:00+00:00")
MORE = "/status?week=1"


def numbers(text):
    return [int(digits) for digits in re.findall(r"\d+", text)]


def day(number):
    return f"2026-11-{number:02d}T02:00:00+00:00"


def row(size, verdict="regressed", first_bad=20, *, good=True, acknowledged=None, points=()):
    key = SeriesKey("aie", "npu2", size, 64, 128, None, None, None, 2, 2, None, "", None)
    last_good = CommitMoment(f"good{size}", day(first_bad - 1), "aaaa") if good else None
    first = CommitMoment(f"bad{size}", day(first_bad), "1f0939abcdef")
    since = Since(first, last_good, 1) if verdict == "regressed" else None
    run = StatusRun(f"run{size}", day(20), "", "main", "f.json", "night")
    seen = [StatusPoint("id", day(number), 1.0, name) for number, name in points]
    numbers = ("gmacs_mean", 240.0, 258.0, -0.07)
    return StatusRow(key, run, *numbers, verdict, "", since, acknowledged, seen, age_days=0.0)


def standings(rows):
    return Standings({row.key: f"key {row.key.M}" for row in rows}, "nightly", AS_OF)


def panel(section, rows):
    return section_panel(section, rows, standings(rows), MORE)


def links(part):
    return [link.href for link in every(part, "Link")]


def attributes(part):
    plain = part.to_plotly_json()["props"]
    return plain["data-section"], plain["data-count"]


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("count", [0, 1, 5, 6, 8, 9])
def test_a_section_counts_all_of_its_keys_and_links_the_first(section, count):
    rows = [row(size) for size in range(1, count + 1)]
    part = panel(section, rows)
    most = MAX_NEW if section == "new" else MAX_OTHER
    assert attributes(part) == (section, str(count))
    (heading,) = every(part, "H2")
    assert numbers(words(heading))[0] == count
    runs = [link for link in links(part) if link.startswith("/run/")]
    assert runs == [f"/run/run{size}" for size in range(1, min(count, most) + 1)]
    more = [words(link) for link in every(part, "Link") if link.href == MORE]
    assert [numbers(text) for text in more] == ([[count - most]] if count > most else [])


def test_a_newly_regressed_row_has_change_base_moment_and_comparison():
    newly = row(1)
    part = panel("new", [newly])
    text = words(part).replace("\u202f", " ")
    assert all(part in text for part in ("▼ −7.0 % vs nightly", "last night, 7 h ago", "1f0939ab"))
    assert links(part) == ["/run/run1", since_address(newly.since)]
    assert since_address(newly.since) == "/compare?base=good1&new=bad1"


def test_without_a_good_run_there_is_no_comparison():
    part = panel("new", [row(1, good=False)])
    assert links(part) == ["/run/run1"]
    assert since_address(row(1, good=False).since) == ""


def test_an_acknowledged_row_names_user_and_note():
    assert "ada: new compiler" in words(panel("acknowledged", [row(1, acknowledged=KNOWN)]))


def test_a_recovered_row_says_since_when():
    back = row(1, "unchanged", points=[(17, "regressed"), (18, "unchanged"), (20, "unchanged")])
    text = words(panel("recovered", [back]))
    assert "recovered 2 days ago" in text
    assert "= " in text


def test_hostile_names_are_text_without_control_characters():
    rows = [row(1)]
    names = {rows[0].key: "<b>x</b>\u202e"}
    part = section_panel("new", rows, Standings(names, "<i>\u202e", AS_OF), MORE)
    assert "\u202e" not in words(part)
    assert "<b>x</b>" in words(part)


def sentence(*rows, missing=0):
    status = Status("nightly", AS_OF, rows, missing)
    return landing_sentence(status, status_sections(status))


@pytest.mark.parametrize(
    ("rows", "counts"),
    [
        ([row(1), row(2), row(3, first_bad=15)], [2, 24, 1, 6]),
        ([row(1), row(2, acknowledged=KNOWN)], [2, 24, 1]),
        ([row(1, first_bad=15)], [24, 1, 6]),
        ([row(1, first_bad=2)], [24, 1]),
        ([row(1), row(2, first_bad=15), row(3, first_bad=2)], [1, 24, 1, 6, 1]),
        ([row(1, "undecided"), row(2, "unchanged")], [24, 1, 2]),
    ],
)
def test_the_sentence_counts_the_last_day_first(rows, counts):
    assert numbers(sentence(*rows)) == counts


def test_while_comparisons_are_missing_the_sentence_is_preliminary():
    text = sentence(row(1, "unchanged"), missing=12)
    assert text.startswith("So far")
    assert numbers(text) == [24, 12]


def test_the_newest_runs_link_to_the_run_and_to_all_of_the_source():
    headline = headline_of("kineto", {"step_time": 2_000_000.0, "busy_share": 0.5})
    newest = [
        NewestRun("kineto", "Kineto", "a1", "<b>train</b>", headline, day(20), 12),
        NewestRun("gone", "gone", "b2", "run", None, "", 1),
    ]
    part = newest_panel(newest, AS_OF)
    assert attributes(part) == ("newest", "2")
    assert links(part) == [
        "/run/a1",
        list_address({"source": "kineto"}),
        "/run/b2",
        list_address({"source": "gone"}),
    ]
    rows = every(part, "Tr")[1:]
    assert [numbers(words(one))[-1] for one in rows] == [12, 1]
    cells = [words(every(one, "Td")[1]) for one in rows]
    assert cells == [headline_text(headline), DASH]
