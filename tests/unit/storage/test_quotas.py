"""Every table that people fill has a limit, and refuses or replaces one row too many."""

from dataclasses import replace

import pytest
from sqlalchemy import func, select

from storage import alerts, baselines, bisections, quotas, rules, uploads
from storage.alerts import Alert, Alerts
from storage.baselines import Baselines
from storage.bisections import Bisections, StoredBisection
from storage.errors import QuotaError
from storage.jobs import DONE, Jobs
from storage.people_tables import TOKENS
from storage.quotas import Quota
from storage.rules import Rule, Rules
from storage.saved_texts import SavedQueries, SavedViews
from storage.sessions import Session, Sessions
from storage.tokens import Token, Tokens
from storage.uploads import Upload, Uploads
from storage.work_tables import JOB_TASKS, JOBS

INSERTS = {
    "OPEN_UPLOADS": (
        uploads,
        lambda c, n, user: Uploads(c).add(Upload(f"u{n}", user, "a", 1, None, {}, [], 0)),
    ),
    "VIEWS": (SavedViews, lambda c, n, user: SavedViews(c).add(f"v{n}", "name", "", user)),
    "QUERIES": (
        SavedQueries,
        lambda c, n, user: SavedQueries(c).add(f"q{n}", "name", "select 1", user),
    ),
    "NAMED_BASELINES": (baselines, lambda c, n, _: Baselines(c).set(f"b{n}", ["run"])),
    "NAMED_RULES": (rules, lambda c, n, _: Rules(c).set(Rule(f"r{n}", 10))),
    "NAMED_ALERTS": (alerts, lambda c, n, _: Alerts(c).set(Alert(f"a{n}", "rule"))),
    "STORED_BISECTIONS": (
        bisections,
        lambda c, n, user: Bisections(c).put(
            StoredBisection(f"b{n}", "", [], "gmacs_mean", None, ["a", "b"], [], user)
        ),
    ),
}
"""How a row is inserted, by the name of its quota in the module that checks it; a class has it as `quota`."""


def change_quota(monkeypatch, name, **limits):
    """Change the limits of a quota where it is checked, and return it and the function that inserts a row."""
    place, insert = INSERTS[name]
    attribute = "quota" if isinstance(place, type) else name
    quota = replace(getattr(place, attribute), **limits)
    monkeypatch.setattr(place, attribute, quota)
    return quota, insert


@pytest.fixture
def catalogue(repository):
    repository.catalogue.create()
    return repository.catalogue


def count(catalogue, table):
    with catalogue.connect() as connection:
        return connection.scalar(select(func.count()).select_from(table))


def test_every_quota_is_tested():
    defined = {name: value for name, value in vars(quotas).items() if isinstance(value, Quota)}
    assert defined.keys() == INSERTS.keys()
    per_person = [quota for quota in defined.values() if quota.owner is not None]
    assert all(0 < quota.per_user <= quota.per_store for quota in per_person)


@pytest.mark.parametrize("name", INSERTS)
def test_a_store_has_a_bounded_number(catalogue, monkeypatch, name):
    quota, insert = change_quota(monkeypatch, name, per_store=3, per_user=3)
    for number in range(3):
        insert(catalogue, number, f"user {number}")
    with pytest.raises(QuotaError) as refused:
        insert(catalogue, 3, "another user")
    assert refused.value.public.endswith(".")
    assert count(catalogue, quota.table) == 3
    if quota.owner is None:
        insert(catalogue, 2, "")  # the row of the name is replaced
        assert count(catalogue, quota.table) == 3


@pytest.mark.parametrize("name", [name for name in INSERTS if vars(quotas)[name].owner is not None])
def test_a_user_has_a_bounded_number_and_leaves_room_for_others(catalogue, monkeypatch, name):
    quota, insert = change_quota(monkeypatch, name, per_user=2)
    for number in range(2):
        insert(catalogue, number, "anna")
    with pytest.raises(QuotaError):
        insert(catalogue, 2, "anna")
    insert(catalogue, 2, "bert")
    assert count(catalogue, quota.table) == 3


def session(number, user="anna"):
    return Session(f"{number:064}", user, user, f"2026-01-01T00:00:{number:02}", "2999-01-01")


def test_the_oldest_session_of_a_user_ends(catalogue, monkeypatch):
    monkeypatch.setattr(quotas, "MAX_SESSIONS", 3)
    Sessions(catalogue).add(session(50, "bert"))
    for number in range(5):
        Sessions(catalogue).add(session(number))
    alive = [number for number in (*range(5), 50) if Sessions(catalogue).get(f"{number:064}")]
    assert alive == [2, 3, 4, 50]


def test_a_revoked_token_makes_room_and_a_valid_one_does_not(catalogue, monkeypatch):
    monkeypatch.setattr(quotas, "MAX_TOKENS", 3)
    tokens = Tokens(catalogue)
    for number in range(3):
        tokens.add(Token(f"t{number}", "ci", "read", "0" * 64, "2026-01-01", "me"))
    with pytest.raises(QuotaError):
        tokens.add(Token("t3", "ci", "read", "0" * 64, "2026-01-01", "me"))
    tokens.revoke("t1")
    tokens.add(Token("t3", "ci", "read", "0" * 64, "2026-01-01", "me"))
    assert tokens.get("t1") is None
    assert count(catalogue, TOKENS) == 3


def test_ended_jobs_are_forgotten_with_their_tasks(catalogue, monkeypatch):
    monkeypatch.setattr("storage.jobs.MAX_ENDED_JOBS", 2)
    jobs = Jobs(catalogue)
    for kind in ("derive", "backup"):
        for _ in range(4):
            job = jobs.add(kind, ["a", "b"], "me", {}, owner="me")
            jobs.end(job.job_id, "me", DONE)
    running = jobs.add("derive", ["a", "b"], "me", {}, owner="me")
    jobs.forget_ended("derive")
    assert (jobs.count("derive", DONE), jobs.count("backup", DONE)) == (2, 4)
    assert jobs.get(running.job_id) is not None
    assert (count(catalogue, JOBS), count(catalogue, JOB_TASKS)) == (7, 14)
