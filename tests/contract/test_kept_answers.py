"""Answers that are kept with runs, on both kinds of catalogue, and where two servers are at it."""

import pytest

from storage.catalogue import Catalogue
from storage.errors import RunNotFound
from storage.saved_placements import SavedPlacements, TooManyPlacements
from tests.support.kept import new_answer
from tests.support.races import at_once
from tests.support.runs import catalogue_of, delete_run


@pytest.fixture
def pair(new_database):
    """Two servers' handles of one catalogue with two runs."""
    url = new_database()
    made = [catalogue_of(url, {}, {}), Catalogue(url)]
    yield made
    for one in made:
        one.close()


@pytest.fixture
def ids(pair):
    return sorted(run.run_id for run in pair[0].runs())


def test_an_answer_is_what_was_kept(pair, ids):
    new = new_answer("näte \U0001f600'; --", addresses=list(range(500)))
    row = SavedPlacements(pair[0]).add(ids[0], new, "王芳", 5)
    assert SavedPlacements(pair[1]).of(ids[0]) == [row]
    assert (row.number, row.kept_by, row.title, row.addresses) == (
        1,
        "王芳",
        new.title,
        new.addresses,
    )
    assert SavedPlacements(pair[1]).of(ids[1]) == []


def test_its_heads_are_others_whenever_answers_are(pair, ids):
    kept, other = map(SavedPlacements, pair)
    seen = [kept.heads(ids[0])]
    kept.add(ids[0], new_answer(), "me", 5)
    seen.append(other.heads(ids[0]))
    kept.add(ids[0], new_answer(), "me", 5)
    seen.append(other.heads(ids[0]))
    assert kept.delete(ids[0], 1)
    seen.append(other.heads(ids[0]))
    assert [len(heads) for heads in seen] == [0, 1, 2, 1]
    assert seen[3] == seen[2][1:]
    assert kept.heads(ids[1]) == ()
    assert not kept.delete(ids[0], 1)


def test_a_number_is_never_given_twice(pair, ids):
    kept = SavedPlacements(pair[0])
    given = [kept.add(ids[0], new_answer(), "me", 2).number for _ in range(2)]
    for number in (2, 1):
        assert kept.delete(ids[0], number)
        assert not kept.delete(ids[0], number)
        given.append(kept.add(ids[0], new_answer(), "me", 2).number)
    assert given == [1, 2, 3, 4]
    assert (
        [row.number for row in kept.of(ids[0])]
        == [number for number, _ in kept.heads(ids[0])]
        == [3, 4]
    )


def test_a_run_keeps_so_many_and_no_more_whoever_is_quicker(pair, ids):
    def keep(catalogue):
        try:
            return SavedPlacements(catalogue).add(ids[0], new_answer(), "me", 3).number
        except TooManyPlacements:
            return 0

    assert sorted(at_once(*(lambda c=c: keep(c) for c in pair * 2))) == [0, 1, 2, 3]
    assert SavedPlacements(pair[0]).add(ids[1], new_answer(), "me", 3).number == 1


def test_they_go_with_their_run_and_nothing_is_kept_with_one_that_is_gone(pair, ids):
    for run_id in ids:
        SavedPlacements(pair[0]).add(run_id, new_answer(), "me", 5)
    delete_run(pair[0], ids[0])
    assert [len(SavedPlacements(pair[1]).of(run_id)) for run_id in ids] == [0, 1]
    with pytest.raises(RunNotFound):
        SavedPlacements(pair[1]).add(ids[0], new_answer(), "me", 5)
