"""Searches that an index answers: held against the same questions without it."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import make_url, text

from storage import run_list, search_index
from storage.annotations import Annotations, Change
from storage.catalogue import Catalogue
from storage.observation import make_observation
from storage.run_list import RunList
from storage.run_query import RunFilter, RunQuery, search_words
from tests.support.runs import catalogue_of, delete_run, record_of, stored_of

TEXTS = (
    "gemm 512x64 alpha",
    "GEMM 512X64 Alphabet",
    "100%_[x] a\"b'c *star* -minus (paren) ^caret: colon/slash\\back",
    "Straße ΣΊΣΥΦΟΣ İstanbul ſtraße K Å ﬁ ǅ",
    "naïve naïve Ünïcödé ünïcödé",
    "日本語のテスト 行列積 カーネル",
    "emoji 🚀🚀🚀 zwj 👩‍🚀👩‍🚀 \ufffe\uffff\ufffd\ufffd",
    "aaaa aaab AND OR NOT NEAR(a b) searched:aaa {x} a+b",
    "\u00adsoft\u00adhyphen\u200b zero",
    "",
)
WORDS = [
    *(
        "gem",
        "gemm",
        "emm",
        "512",
        "512x64",
        "512×64",
        "alphab",
        "zzz",
        "64",
        "m",
        "a",
        "é",
        "日",
        "本語",
        "日本語",
    ),
    *(
        "%",
        "_",
        "%_",
        "100%",
        "100%_[x",
        "0%_",
        '"',
        '"b',
        'a"b',
        "a\"b'c",
        "'",
        "'c",
        "*",
        "*star*",
        "sta*",
        "-minus",
    ),
    *(
        "(par",
        "^car",
        ":",
        "t:",
        "colon/",
        "/sla",
        "\\back",
        "straße",
        "strasse",
        "ſtr",
        "σίσυφος",
        "σίσυφοσ",
        "i̇st",
    ),
    *(
        "ist",
        "k å",
        "ﬁ ǆ",
        "nai\u0308ve",
        "na\u00efve",
        "naive",
        "ünï",
        "uni",
        "🚀",
        "🚀🚀",
        "🚀🚀🚀",
        "👩\u200d🚀👩",
    ),
    *(
        "\ufffe\uffff\ufffd",
        "\ufffd\ufffd\ufffd",
        "aaa",
        "aaaa",
        "aaaaa",
        "aab",
        "and",
        "not",
        "near(a",
        "{x}",
        "a+b",
    ),
    *(
        "searched:aaa",
        "npu",
        "\u00adsoft",
        "soft",
        "\u200bze",
        "a\0aa",
        "\0\0\0",
        "c0ffee",
        "c0f",
        "0ffee",
    ),
    *("release/1", "elease/1", "x" * 120),
]


@pytest.fixture(scope="module")
def many(new_database):
    rows = [
        {"name": name, "commit": "c0ffee" if i % 2 else "", "branch": "main"}
        for i, name in enumerate(TEXTS)
    ]
    catalogue = catalogue_of(new_database(), *rows)
    first = catalogue.get(f"{0:064x}")
    seen = make_observation(first.run | {"commit": "c0ffee77", "branch": "release/1"})
    catalogue.observe(first, {}, seen)
    yield catalogue
    catalogue.close()


@pytest.fixture
def embedded(tmp_path):
    """Make an embedded catalogue, or open it again."""
    made = []

    def opener(*rows):
        url = f"sqlite:///{tmp_path}/a.db"
        made.append(catalogue_of(url, *rows) if rows else Catalogue(url))
        return made[-1]

    yield opener
    for catalogue in made:
        catalogue.close()


def found(catalogue, *words):
    """Return the names of the runs that have all words, found by their ids, by the index within the
    statement, and without the index.
    """
    fits = RunFilter(words=words)
    runs = RunList(catalogue)
    page, counts = runs.page(RunQuery(fits)).runs, runs.counts(fits, 40)
    with pytest.MonkeyPatch.context() as patch:
        for limit in ("_MAX_LISTED_RUNS", "_MAX_RARE_RUNS"):
            patch.setattr(run_list, limit, -1)
            assert page == runs.page(RunQuery(fits)).runs
            assert counts == runs.counts(fits, 40)
    return sorted(run.run["name"] for run in page)


def change(path, *statements):
    """Change a database as a process does that knows no index."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_there_is_an_index_to_be_tested(many):
    with many.connect() as connection:
        assert (
            many.search_index_kind()
            == {"sqlite": "fts5", "postgresql": "pg_trgm"}[connection.dialect.name]
        )


@pytest.mark.quick_every(5)
@pytest.mark.parametrize("word", WORDS)
def test_a_word_finds_what_it_finds_without_the_index(many, word):
    found(many, *search_words(word))


def test_parts_and_beginnings_are_found_and_letters_are_not_folded(many):
    assert found(many, "alphab") == [TEXTS[1]]
    assert found(many, "512x64") == sorted(TEXTS[:2])
    assert found(many, "c0ffee77") == [TEXTS[0]]
    assert found(many, "0ffee77") == []
    assert found(many, "strasse") == []


@pytest.mark.slow
def test_all_words_of_a_search_are_found(many):
    assert found(many, "gemm", "alphabet", "m") == [TEXTS[1]]
    assert found(many, "m", "512", "zzz") == []


PIECES = sorted(
    {one.lower()[i : i + n] for one in TEXTS for n in range(1, 9) for i in range(len(one))}
)


@pytest.mark.slow
@given(word=st.sampled_from(PIECES) | st.text(max_size=6), other=st.sampled_from(PIECES))
def test_any_words_find_what_they_find_without_the_index(many, word, other):
    for each in search_words(f"{word} {other}".encode("utf-8", "replace").decode()):
        found(many, each)


@pytest.mark.slow
def test_the_index_follows_every_change(opened):
    catalogue = opened({"name": "first"}, {"name": "second"})
    assert found(catalogue, "first") == ["first"]
    Annotations(catalogue).change(f"{0:064x}", Change(tags=("marked",), notes="slow"), "a")
    assert found(catalogue, "marked") == found(catalogue, "slow") == ["first"]
    Annotations(catalogue).change(f"{0:064x}", Change(tags=(), notes=""), "a")
    assert found(catalogue, "marked") == []
    assert catalogue.amend(
        stored_of(record_of(1, name="second")), stored_of(record_of(1, name="another"))
    )
    assert (found(catalogue, "second"), found(catalogue, "another")) == ([], ["another"])
    delete_run(catalogue, f"{1:064x}")
    assert found(catalogue, "another") == []
    assert catalogue.insert(stored_of(record_of(7, name="another one")))
    assert found(catalogue, "another") == ["another one"]


def test_a_search_of_a_catalogue_that_is_not_there_finds_nothing(tmp_path):
    assert (
        RunList(Catalogue(f"sqlite:///{tmp_path}/none.db"))
        .page(RunQuery(RunFilter(words=("abc",))))
        .runs
        == []
    )


@pytest.mark.slow
def test_what_a_release_without_the_index_changed_is_found_at_once_and_taken_in_later(
    embedded, tmp_path
):
    catalogue = embedded({"name": "first"}, {"name": "second"}, {"name": "third"})
    relisted = "update listing set search_id = null, searched = 'renamed' where name = 'second'"
    change(
        tmp_path / "a.db",
        "delete from listing where name = 'third'",
        "delete from runs where run_id like '%2'",
    )
    change(tmp_path / "a.db", relisted)
    assert (found(catalogue, "second"), found(catalogue, "renamed"), found(catalogue, "third")) == (
        [],
        ["second"],
        [],
    )
    again = embedded()
    assert again.is_created()
    with again.connect() as connection:
        assert not search_index.is_behind(connection)
    assert again.insert(stored_of(record_of(5, name="fifth")))
    assert (found(again, "second"), found(again, "renamed")) == ([], ["second"])
    assert (found(again, "third"), found(again, "fifth")) == ([], ["fifth"])


@pytest.mark.slow
def test_rows_that_move_are_found(embedded, tmp_path):
    catalogue = embedded(*[{"name": f"run {rank}"} for rank in range(300, 320)])
    delete_run(catalogue, f"{3:064x}")
    catalogue.close()
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as connection:
        connection.execute("vacuum")
    again = embedded()
    assert [found(again, f"{rank}") for rank in (302, 303, 304)] == [["run 302"], [], ["run 304"]]


@pytest.mark.slow
def test_a_list_that_is_made_anew_has_an_index_of_its_own(embedded, tmp_path):
    embedded({"name": "first"}, {"name": "second"}).close()
    change(tmp_path / "a.db", "delete from listing")
    again = embedded()
    assert found(again, "first") == ["first"]
    with again.connect() as connection:
        assert connection.scalar(text("select count(*) from listing_search")) == 2


@pytest.mark.slow
def test_an_sqlite_without_trigrams_goes_on_with_the_list(embedded, monkeypatch):
    monkeypatch.setattr(search_index, "has_trigrams", lambda: False)
    catalogue = embedded({"name": "first"})
    assert found(catalogue, "first") == ["first"]
    assert catalogue.search_index_kind() == ""
    monkeypatch.undo()
    capable = embedded()
    assert found(capable, "first") == ["first"]
    assert capable.search_index_kind() == "fts5"
    monkeypatch.setattr(search_index, "has_trigrams", lambda: False)
    without = embedded()
    assert without.amend(
        stored_of(record_of(0, name="first")), stored_of(record_of(0, name="other"))
    )
    assert without.insert(stored_of(record_of(1, name="second")))
    assert (found(without, "first"), found(without, "other")) == ([], ["other"])
    monkeypatch.undo()
    assert (found(capable, "first"), found(capable, "other"), found(capable, "second")) == (
        [],
        ["other"],
        ["second"],
    )
    assert (found(embedded(), "first"), found(embedded(), "second")) == ([], ["second"])


@pytest.mark.slow
def test_a_server_that_may_make_no_extension_goes_on_until_somebody_did(postgres):
    name = make_url(postgres.new()).database
    with postgres.connect(name) as connection:
        connection.execute("create role plain login")
        connection.execute(f"revoke create on database {name} from public")
        connection.execute("grant create, usage on schema public to plain")
    url = f"postgresql+psycopg://plain@127.0.0.1:{postgres.port}/{name}"
    catalogue, again = Catalogue(url), Catalogue(url)
    catalogue.create()
    assert catalogue.insert(stored_of(record_of(0, name="first")))
    assert (catalogue.search_index_kind(), found(catalogue, "first")) == ("", ["first"])
    with postgres.connect(name) as connection:
        connection.execute("create extension pg_trgm")
    assert again.upgrade() is not None
    assert (again.search_index_kind(), found(again, "first")) == ("pg_trgm", ["first"])
    for one in (catalogue, again):
        one.close()
