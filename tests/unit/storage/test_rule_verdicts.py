"""What rules say of runs, in the catalogue."""

import pytest

from storage.rule_verdicts import RuleVerdict, RuleVerdicts
from storage.rules import Rule, Rules

RUN = "0" * 64
NIGHTLY = Rule("nightly", 5)


@pytest.fixture
def catalogue(opened):
    made = opened({"hwid": "a"})
    Rules(made).set(NIGHTLY)
    return made


def verdict(name="regressed", date="2026-11-20", reason="why"):
    return RuleVerdict(RUN, date, f"{RUN}/0", "hash", name, reason, "gmacs_mean", 90.0, 100.0, -0.1)


def test_the_last_verdict_about_a_run_of_a_date_is_kept(catalogue):
    kept = RuleVerdicts(catalogue)
    kept.put(NIGHTLY, [verdict(), verdict(date="2026-11-21")])
    kept.put(NIGHTLY, [verdict("improved")])
    assert sorted((one.date, one.verdict) for one in kept.of("nightly").values()) == [
        ("2026-11-20", "improved"),
        ("2026-11-21", "regressed"),
    ]
    assert kept.of("other") == {}


def test_no_verdict_is_kept_of_a_rule_that_was_deleted_meanwhile(catalogue):
    Rules(catalogue).delete("nightly")
    RuleVerdicts(catalogue).put(NIGHTLY, [verdict()])
    assert RuleVerdicts(catalogue).of("nightly") == {}


def test_reasons_that_a_database_would_not_take_are_no_obstacle(catalogue):
    RuleVerdicts(catalogue).put(NIGHTLY, [verdict(reason="\0 \ud800")])
    (kept,) = RuleVerdicts(catalogue).of("nightly").values()
    assert "\0" not in kept.reason
