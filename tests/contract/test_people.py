"""What the catalogue knows of people and their work, on both kinds of database, and where two servers are at it."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from services.store.sessions import begin_session, end_session, find_session
from services.store.tokens import checked_token, make_token
from storage.annotations import Annotations, Change
from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.people_tables import LIMITS, SESSIONS
from storage.retention import outdated_runs
from storage.saved_texts import SavedViews
from storage.sessions import Sessions
from storage.tokens import Tokens
from storage.uploads import Upload, Uploads, count_upload
from tests.support.races import at_once
from tests.support.runs import catalogue_of

TEXTS = ["plain", "O'Hara; drop table tokens --", "%_\\", "王芳 é", "🦆"]


@pytest.fixture
def url(new_database):
    return new_database()


@pytest.fixture
def pair(url):
    """Two servers' handles of one catalogue."""
    made = [Catalogue(url), Catalogue(url)]
    made[0].create()
    yield made
    for one in made:
        one.close()


@pytest.fixture
def catalogue(pair):
    return pair[0]


class TestTokens:
    def test_a_token_is_what_was_put_down(self, catalogue):
        token, text = make_token(catalogue, "ci", "write", "carol", "30d")
        assert Tokens(catalogue).all() == [token]
        assert checked_token(catalogue, text) == token

    def test_a_text_of_another_form_is_no_token(self, catalogue):
        _, text = make_token(catalogue, "ci", "write", "carol")
        prefix, token_id, secret = text.split("_")
        others = [
            "",
            "_",
            "__",
            "tsc__",
            f"tsc_{token_id}",
            f"tsc_{token_id}_",
            f"tsc__{secret}",
            f"{text}_",
            f" {text}",
        ]
        others += [
            f"{prefix}_{token_id}\0_{secret}",
            f"{prefix}_%_{secret}",
            f"{prefix}_{token_id}_{secret[:-1]}",
        ]
        others += [
            text.upper(),
            f"{text}\n",
            f"tsc_{token_id.upper()}_{secret}",
            text.replace("_", "-"),
            "é" * 50,
        ]
        assert [checked_token(catalogue, other) for other in others] == [None] * len(others)
        assert checked_token(catalogue, text)

    def test_it_is_revoked_once_by_whoever_is_first(self, pair):
        token, text = make_token(pair[0], "ci", "read", "carol")
        assert sorted(
            at_once(*(lambda c=c: Tokens(c).revoke(token.token_id) for c in pair * 2))
        ) == [False] * 3 + [True]
        assert [checked_token(c, text) for c in pair] == [None, None]

    def test_it_is_over_when_it_says(self, catalogue):
        token, _ = make_token(catalogue, "ci", "read", "carol", "1s")
        assert token.is_valid
        assert not replace(token, expires_at=timestamp(-timedelta(milliseconds=1))).is_valid

    def test_its_use_is_put_down_once_a_minute_at_most(self, pair):
        token, text = make_token(pair[0], "ci", "read", "carol")
        assert all(at_once(*(lambda c=c: checked_token(c, text) for c in pair * 2)))
        first = Tokens(pair[0]).get(token.token_id).used_at
        checked_token(pair[1], text)
        assert Tokens(pair[0]).get(token.token_id).used_at == first is not None

    def test_names_are_data(self, catalogue):
        for name in TEXTS:
            make_token(catalogue, name, "read", name)
        stored = sorted((token.name, token.created_by) for token in Tokens(catalogue).all())
        assert stored == sorted((name, name) for name in TEXTS)

    def test_a_store_that_is_not_there_has_none(self, new_database):
        empty = Catalogue(new_database())
        assert checked_token(empty, "tsc_aaaaaaaa_bbbbbbbb") is None
        empty.close()


class TestSessions:
    def test_a_session_ends_for_every_server(self, pair):
        secret = begin_session(pair[0], "issuer u1", "alice", timedelta(hours=1))
        assert find_session(pair[1], secret).user_name == "alice"
        end_session(pair[1], secret)
        assert [find_session(c, secret) for c in pair] == [None, None]

    def test_what_is_over_is_nobodys_and_forgotten(self, catalogue):
        old = begin_session(catalogue, "k", "alice", timedelta(seconds=-1))
        assert find_session(catalogue, old) is None
        begin_session(catalogue, "k", "alice", timedelta(hours=1))
        with catalogue.connect() as connection:
            assert connection.scalar(select(func.count()).select_from(SESSIONS)) == 1

    def test_no_secret_is_kept(self, catalogue):
        secret = begin_session(catalogue, "k", "alice", timedelta(hours=1))
        assert Sessions(catalogue).get(secret) is None
        with catalogue.connect() as connection:
            assert secret not in repr(connection.execute(select(SESSIONS)).all())

    def test_a_made_up_secret_is_nobodys(self, catalogue):
        begin_session(catalogue, "k", "alice", timedelta(hours=1))
        for secret in ("", "x", "a\0b", "é", "\ud800", "x" * 10_000):
            assert find_session(catalogue, secret) is None


class TestAudit:
    def test_no_entry_is_lost_and_all_have_an_order(self, pair):
        at_once(
            *(
                lambda c=c, n=n: Audit(c).add(f"u{n}", "update", str(n))
                for n, c in enumerate(pair * 5)
            )
        )
        entries = Audit(pair[0]).entries()
        assert sorted(int(entry.object) for entry in entries) == list(range(10))
        ids = [entry.entry_id for entry in entries]
        assert ids == sorted(set(ids), reverse=True)

    def test_whatever_is_told_is_put_down(self, catalogue):
        for text in (*TEXTS, "a\0b", "a\ud800b", "x" * 9_000):
            Audit(catalogue).add(text, "update", text, text)
            entry = Audit(catalogue).entries()[0]
            stored = text.replace("\0", "").replace("\ud800", "?")[:2_000]
            assert entry.user == entry.object == entry.detail == stored
            assert Audit(catalogue).entries(user=entry.user) == [entry]


class TestLimits:
    def test_every_upload_counts_once_over_all_servers(self, pair, monkeypatch):
        monkeypatch.setattr("storage.uploads.time.time", lambda: 600_010.0)
        found = at_once(*(lambda c=c: count_upload(c, "alice")[0] for c in pair * 5))
        assert sorted(found) == list(range(1, 11))
        assert count_upload(pair[0], "bob") == (1, 51)

    def test_a_new_minute_begins_at_none_and_keeps_no_old_one(self, catalogue, monkeypatch):
        for now, count in ((600_010.0, 1), (600_059.9, 2), (600_060.0, 1)):
            monkeypatch.setattr("storage.uploads.time.time", lambda now=now: now)
            assert count_upload(catalogue, "alice")[0] == count
        with catalogue.connect() as connection:
            assert connection.scalar(select(func.count()).select_from(LIMITS)) == 1

    def test_any_name_is_counted(self, catalogue, monkeypatch):
        monkeypatch.setattr("storage.uploads.time.time", lambda: 600_010.0)
        for name in (*TEXTS, "x" * 300):
            assert [count_upload(catalogue, name)[0] for _ in range(2)] == [1, 2]


class TestUploads:
    NEW = Upload("u1", "alice", "a.csv", 10, None, {"hwid": "npu2"}, [], 0)

    def test_an_upload_grows_part_by_part(self, pair):
        rows = [Uploads(c) for c in pair]
        rows[0].add(self.NEW)
        assert rows[1].grow(rows[1].get("u1"), "p1", 4)
        assert rows[0].grow(rows[0].get("u1"), "p2", 6)
        found = rows[1].get("u1")
        assert (found.parts, found.offset, dict(found.settings)) == (
            ["p1", "p2"],
            10,
            {"hwid": "npu2"},
        )

    def test_of_parts_at_one_place_one_stays(self, pair):
        Uploads(pair[0]).add(self.NEW)
        found = at_once(
            *(
                lambda c=c, n=n: Uploads(c).grow(self.NEW, f"p{n}", 5)
                for n, c in enumerate(pair * 2)
            )
        )
        assert sorted(found) == [False] * 3 + [True]
        assert Uploads(pair[0]).get("u1").parts == [f"p{found.index(True)}"]

    def test_what_is_gone_does_not_grow(self, catalogue):
        rows = Uploads(catalogue)
        rows.add(self.NEW)
        rows.remove("u1")
        assert not rows.grow(self.NEW, "p", 5)
        assert rows.get("u1") is None

    def test_what_nothing_came_of_is_stale(self, catalogue):
        rows = Uploads(catalogue)
        rows.add(self.NEW)
        assert rows.stale(timedelta(hours=1)) == []
        assert [one.upload_id for one in rows.stale(timedelta(hours=-1))] == ["u1"]

    def test_an_id_is_exact(self, catalogue):
        Uploads(catalogue).add(self.NEW)
        others = ("u2", "", "u%", "U1", "u1 ")
        assert [Uploads(catalogue).get(other) for other in others] == [None] * len(others)


class TestViews:
    def test_a_view_is_what_was_saved(self, catalogue):
        views = SavedViews(catalogue)
        made = [views.add(f"v{rank}", name, "hwid=%27", name) for rank, name in enumerate(TEXTS)]
        assert sorted(views.all(), key=lambda view: view.view_id) == made

    def test_it_is_deleted_once(self, pair):
        SavedViews(pair[0]).add("v1", "a", "", "alice")
        assert sorted(at_once(*(lambda c=c: SavedViews(c).delete("v1") for c in pair))) == [
            False,
            True,
        ]


class TestAnnotations:
    @pytest.mark.slow
    def test_changes_at_once_are_not_lost(self, url):
        first = catalogue_of(url, {})
        second = Catalogue(url)
        run = first.runs()[0]
        changes = [Change(notes="why"), Change(tags=("a", "b")), Change(pinned=True)]
        for _ in range(3):
            found = at_once(
                *(
                    lambda c=c, h=h: Annotations(h).change(run.run_id, c, "me")
                    for c, h in zip(changes, [first, second, first], strict=True)
                )
            )
            assert not [error for error in found if isinstance(error, Exception)]
            added = Annotations(second).of([run])[run.run_id]
            assert (added.notes, added.tags, added.pinned) == ("why", ("a", "b"), True)
            for back in (Change(notes=""), Change(tags=()), Change(pinned=False)):
                Annotations(first).change(run.run_id, back, "me")
        first.close()
        second.close()


KEYS = ("source", "hwid", "M", "K", "N")


def kept_by_hand(rows, keep_last, by):
    """Return the numbers of the rows that a rule deletes, oldest first, in plain Python."""
    counts, gone = {}, []
    for number in reversed(range(len(rows))):
        row = rows[number]
        if row["pinned"]:
            continue
        key = tuple(row[name] for name in by)
        counts[key] = counts.get(key, 0) + 1
        if counts[key] > keep_last:
            gone.append(number)
    return sorted(gone)


@pytest.mark.quick_every(6)
@pytest.mark.parametrize("seed", range(3))
def test_retention_keeps_the_newest_of_each_key(new_database, seed):
    from random import Random

    random = Random(seed)  # noqa: S311 - which runs there are
    rows = [
        {
            "hwid": random.choice(["a", "b", ""]),
            "M": random.choice([16, 32, None]),
            "pinned": random.random() < 0.2,
        }
        | {"source": random.choice(["aie", "deeploy"]), "K": 64, "N": 64}
        for _ in range(24)
    ]
    catalogue = catalogue_of(new_database(), *({name: row[name] for name in KEYS} for row in rows))
    for number, row in enumerate(rows):
        if row["pinned"]:
            Annotations(catalogue).change(f"{number:064x}", Change(pinned=True), "me")
    for by in ([], ["hwid"], ["M"], ["hwid", "M"], list(KEYS)):
        for keep_last in (1, 2, 5, 24):
            assert [*outdated_runs(catalogue, keep_last, by)] == [
                f"{n:064x}" for n in kept_by_hand(rows, keep_last, by)
            ]
    catalogue.close()
