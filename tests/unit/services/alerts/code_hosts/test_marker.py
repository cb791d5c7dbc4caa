"""Markers: what is found again, and which of two messages is newer."""

from dataclasses import replace

from services.alerts.code_hosts.marker import Marker, post_key, read_marker

MARKER = Marker("issue", post_key("nightly", "s"), "", "2026-11-02T00:00:00+00:00")


def test_a_marker_is_read_from_the_first_line():
    assert read_marker(f"{MARKER}\ntext") == MARKER
    assert read_marker(f"{MARKER}\r\ntext") == MARKER


def test_a_quoted_marker_is_not_read():
    for body in (f"> {MARKER}", f"text\n{MARKER}", "", None, "<!-- tilescope issue x -->"):
        assert read_marker(body) is None


def test_posts_differ_by_purpose_and_key():
    later = Marker("issue", MARKER.key, "", "2026-12-02T00:00:00+00:00")
    assert MARKER.is_same_post(later)
    assert not MARKER.is_same_post(None)
    assert not MARKER.is_same_post(Marker("recovered", MARKER.key, "", MARKER.at))
    assert not MARKER.is_same_post(Marker("issue", post_key("nightly", "t"), "", MARKER.at))
    assert post_key("a", "b") != post_key("ab")


def test_posts_of_two_installations_differ():
    first, second = (replace(MARKER, site=site * 12) for site in "ab")
    assert read_marker(f"{first}\ntext") == first
    assert first.is_same_post(replace(first, at="2026-12-02T00:00:00+00:00"))
    assert not first.is_same_post(second)
    assert not first.is_same_post(MARKER)
    assert first.may_adopt(MARKER)
    assert not any(first.may_adopt(other) for other in (second, first, None))


def test_a_later_run_is_newer_than_a_later_status_of_an_older_run():
    def marker(seen_at, at):
        return Marker("pull_request", MARKER.key, seen_at, at)

    old_run_again = marker("2026-11-01T00:00:00+00:00", "2026-11-09T00:00:00+00:00")
    new_run = marker("2026-11-02T00:00:00+00:00", "2026-11-02T00:01:00+00:00")
    assert new_run.is_newer_than(old_run_again)
    assert not old_run_again.is_newer_than(new_run)
    assert not new_run.is_newer_than(new_run)
    assert marker("", "2026-11-03").is_newer_than(marker("", "2026-11-02"))
