"""Sentences that name files of an upload."""

from pathlib import Path

from ingest.display_paths import with_display_paths


def test_every_form_of_a_path_becomes_the_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real").mkdir()
    (tmp_path / "data").symlink_to("real")
    path = Path("data/profile.pkl")
    places = {path: "net/profile.pkl"}
    for form in (path, path.absolute(), path.resolve()):
        text = f"{form}: cannot be read"
        assert with_display_paths(text, places, places) == "net/profile.pkl: cannot be read"


def test_a_path_that_begins_another_one_leaves_it_whole():
    places = {Path("/up/a"): "one", Path("/up/a.gz"): "two", Path("/up/a/b"): "three"}
    assert with_display_paths("/up/a.gz, /up/a/b and /up/a", places, places) == "two, three and one"


def test_what_has_no_other_place_stays():
    assert with_display_paths("/up/a is empty", [Path("/up/a")], {}) == "/up/a is empty"
