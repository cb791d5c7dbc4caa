"""The kept status of keys: what changes a run takes out that of its likeness, and nothing older comes back."""

import pytest

from storage.cached_keys import CachedKeys
from storage.pending import garbage
from storage.rule_tables import KEY_STATUS
from storage.rules import Rule, Rules
from tests.support.runs import delete_run, record_of, stored_of

RULE = Rule("nightly", 10)


@pytest.fixture
def catalogue(opened):
    catalogue = opened({"hwid": "a"}, {"hwid": "b"})
    Rules(catalogue).set(RULE)
    return catalogue


def kept(store, rule=RULE):
    return store.of(rule.name, rule.filters)


def keep_all(catalogue, rule=RULE, made_by="1"):
    """Keep something of every likeness that a rule covers; return the store."""
    store = CachedKeys(catalogue, KEY_STATUS, made_by)
    found = kept(store, rule)
    store.put(rule.name, found.version, {likeness: [[likeness]] for likeness in found.missing})
    return store


def insert(catalogue, rank, **row):
    stored = stored_of(record_of(rank, **row))
    assert catalogue.insert(stored)
    return stored


def test_what_is_kept_comes_back_until_a_run_of_the_likeness_comes_goes_or_changes(catalogue):
    store = keep_all(catalogue)
    assert (len(kept(store).by_likeness), kept(store).missing) == (2, [])
    new = insert(catalogue, 7, hwid="a")
    (gone,) = kept(store).missing
    keep_all(catalogue)
    delete_run(catalogue, new.run_id)
    assert kept(store).missing == [gone]
    keep_all(catalogue)
    old = catalogue.get(record_of(0)["run_id"])
    moved = stored_of(record_of(0, hwid="b"), "1")
    assert catalogue.replace(old, moved, garbage(old.prefix))
    assert [*kept(store).by_likeness] == []
    assert len(kept(store).missing) == 1


def test_what_was_made_of_older_runs_is_not_kept(catalogue):
    store = CachedKeys(catalogue, KEY_STATUS, "1")
    before = kept(store)
    insert(catalogue, 7, hwid="c")
    store.put(RULE.name, before.version, {likeness: [] for likeness in before.missing})
    assert not kept(store).by_likeness
    assert len(kept(store).missing) == 3


def test_a_rule_that_is_set_again_or_deleted_and_another_release_keep_nothing(catalogue):
    store = keep_all(catalogue)
    assert not kept(CachedKeys(catalogue, KEY_STATUS, "2")).by_likeness
    keep_all(catalogue, made_by="2")
    assert not kept(store).by_likeness
    store = keep_all(catalogue)
    Rules(catalogue).set(Rule("nightly", 3))
    assert not kept(store).by_likeness
    keep_all(catalogue)
    Rules(catalogue).delete("nightly")
    assert not kept(store).by_likeness


def test_a_rule_covers_the_likenesses_of_its_runs(catalogue):
    rule = Rule("of a", 10, hwid="a")
    Rules(catalogue).set(rule)
    assert len(kept(keep_all(catalogue, rule), rule).by_likeness) == 1
    assert len(kept(keep_all(catalogue)).by_likeness) == 2
