"""`token`: made, listed and revoked where the server's store is."""

import json

import pytest
from click.testing import CliRunner

from app.cli.main import main
from services.store.tokens import checked_token
from storage.audit import Audit
from storage.catalogue import Catalogue


@pytest.fixture
def run(tmp_path):
    def invoke(*arguments):
        return CliRunner().invoke(main, ["token", *arguments, "--data", str(tmp_path / "data")])

    return invoke


@pytest.fixture
def catalogue(tmp_path):
    opened = Catalogue(f"sqlite:///{tmp_path}/data/catalogue.db")
    yield opened
    opened.close()


def test_a_token_is_told_once(run, catalogue):
    made = json.loads(
        run("create", "--scope", "write", "--name", "ci", "--expires", "30d", "--json").stdout
    )
    assert set(made) == {"id", "name", "scope", "token", "expires_at"}
    assert checked_token(catalogue, made["token"]).scope == "write"
    listed = run("list", "--json").stdout
    assert [token["id"] for token in json.loads(listed)] == [made["id"]]
    assert made["token"].rpartition("_")[2] not in listed + run("list").stdout
    assert "secret_hash" not in listed


def test_the_text_alone_goes_to_scripts(run, catalogue):
    result = run("create", "--scope", "read", "--name", "ci")
    assert checked_token(catalogue, result.stdout.strip())
    assert len(result.stdout.split()) == 1


def test_a_token_is_revoked_once(run, catalogue):
    made = json.loads(run("create", "--scope", "read", "--name", "ci", "--json").stdout)
    assert [run("revoke", made["id"]).exit_code for _ in range(2)] == [0, 1]
    assert checked_token(catalogue, made["token"]) is None
    assert json.loads(run("list", "--json").stdout)[0]["revoked_at"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--scope", "root", "--name", "a"),
        ("--scope", "read"),
        ("--name", "a"),
        ("--scope", "read", "--name", ""),
        ("--scope", "read", "--name", "a\x1b[2J"),
        ("--scope", "read", "--name", "x" * 101),
        ("--scope", "read", "--name", "a", "--expires", "soon"),
        ("--scope", "read", "--name", "a", "--expires", "0d"),
        ("--scope", "read", "--name", "a", "--expires", "٣d"),
    ],
)
def test_what_is_no_token_is_not_made(run, arguments):
    assert run("create", *arguments).exit_code != 0
    assert json.loads(run("list", "--json").stdout) == []


def test_nothing_is_revoked_or_listed_of_a_store_that_is_not_there(run, tmp_path):
    assert run("revoke", "abc").exit_code == 1
    assert run("list").exit_code == 0
    assert not (tmp_path / "data").exists()


def test_what_was_done_is_in_the_audit_log(run, catalogue):
    made = json.loads(run("create", "--scope", "admin", "--name", "ci", "--json").stdout)
    run("revoke", made["id"])
    entries = Audit(catalogue).entries()
    assert [(entry.action, entry.object) for entry in entries] == [
        ("token.revoke", made["id"]),
        ("token.create", made["id"]),
    ]
    assert {entry.user.split()[0] for entry in entries} == {"command"}
    assert made["token"] not in repr(entries)
