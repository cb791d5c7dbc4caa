"""How the store is, by command: as the API has it, and as text."""

import json
import os
import time

import pytest

from services.store.tokens import make_token
from storage.audit import Audit
from tests.support.command_line import run

PROBLEM = "id,lower,upper,size\na,0,3,100\nb,1,4,80\n"


@pytest.fixture
def store(tmp_path):
    (tmp_path / "p.200.csv").write_text(PROBLEM)
    assert (
        run("ingest", str(tmp_path / "p.200.csv"), "--data", str(tmp_path / "data")).exit_code == 0
    )
    return tmp_path / "data"


@pytest.fixture
def orphan(store):
    """A folder of a run that is in no row, two hours old."""
    folder = store / "frames" / ("c" * 12) / ("0" * 16)
    folder.mkdir(parents=True)
    (folder / "events.parquet").write_bytes(b"12345")
    os.utime(folder / "events.parquet", (time.time() - 7200,) * 2)
    return folder


def test_a_store_that_is_well_is_one_sentence_and_the_parts(store):
    result = run("admin", "--data", str(store))
    assert result.exit_code == 0
    for title in (
        "Size:",
        "Orphans:",
        "Retention:",
        "Backups:",
        "Uploads:",
        "Jobs",
        "Tokens:",
        "Settings",
    ):
        assert title in result.stdout
    record = json.loads(run("admin", "--data", str(store), "--json").stdout)
    assert (record["attention"], record["size"]["runs"]) == ([], 1)
    assert record["size"]["bytes"] == sum(one["bytes"] for one in record["size"]["sources"]) > 0


def test_orphans_are_found_then_cleaned_up(store, orphan):
    result = run("admin", "--data", str(store), "--orphans", "--json")
    record = json.loads(result.stdout)
    assert (result.exit_code, record["attention"][0]["kind"], record["orphans"]["bytes"]) == (
        1,
        "orphans",
        5,
    )
    assert orphan.exists()
    result = run("admin", "--data", str(store), "--clean-up", "--json")
    assert (result.exit_code, json.loads(result.stdout)["orphans"]["bytes"], orphan.exists()) == (
        0,
        0,
        False,
    )


def test_an_empty_store_is_told_of_too(tmp_path):
    result = run("admin", "--data", str(tmp_path / "none"), "--json")
    assert (result.exit_code, json.loads(result.stdout)["size"]["runs"]) == (0, 0)


def test_names_of_others_cannot_write_lines(store):
    from app.config.settings import Settings

    catalogue = Settings(data=store).catalogue()
    make_token(catalogue, "ci", "read", "eve\n\x1b[2Jx")
    Audit(catalogue).add("eve", "upload.fail", "a\nb", "c\rd")
    catalogue.close()
    text = run("admin", "--data", str(store)).stdout
    assert "\x1b" not in text
    assert "\r" not in text
    assert "a\nb" not in text


def test_retention_previews_with_what_holds_others(store):
    result = run("retention", "--keep-last", "1", "--data", str(store))
    assert (result.exit_code, "would be deleted" in result.stdout) == (0, True)
