"""Baseline rules over the API: set, listed, refused and deleted."""

import pytest

NIGHTLY = {"last": 10, "branch": "main", "M": 256}


def test_a_rule_is_set_listed_and_deleted_with_its_author(team):
    assert team("PUT", "/rules/nightly", NIGHTLY).status_code == 204
    (rule,) = team("GET", "/rules").json["rules"]
    assert {name: rule[name] for name in ("name", "last", "branch", "M", "K")} == {
        "name": "nightly",
        "K": None,
    } | NIGHTLY
    assert team("DELETE", "/rules/nightly").status_code == 204
    assert team("GET", "/rules").json == {"rules": []}
    assert [entry["action"] for entry in team("GET", "/audit").json["entries"]][:2] == [
        "rule.delete",
        "rule.set",
    ]


@pytest.mark.parametrize(
    "body",
    [
        {"last": 0},
        {"last": 10**6},
        {"last": 5, "M": 0},
        {"last": 5, "N": 10**30},
        {"last": 5, "branch": "a\nb"},
        {},
    ],
)
def test_what_is_no_rule_is_refused_and_nothing_is_set(team, body):
    assert team("PUT", "/rules/nightly", body).status_code == 422
    assert "nightly" not in team("GET", "/rules").text


def test_a_rule_that_is_not_there_cannot_be_deleted(team):
    assert team("DELETE", "/rules/none").status_code == 404


@pytest.mark.parametrize(("method", "body"), [("PUT", NIGHTLY), ("DELETE", None)])
def test_who_only_reads_changes_no_rule(shared, method, body):
    assert shared(method, "/rules/other", body, scope="read").status_code == 403
