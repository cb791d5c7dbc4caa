"""Settings from the environment and from the file."""

import pytest

from app.config.sources import environment_settings, file_settings


def test_variables_are_read_in_either_case_and_only_those_of_settings(monkeypatch):
    monkeypatch.setenv("TILESCOPE_PORT", "1")
    monkeypatch.setenv("tilescope_host", "h")
    monkeypatch.setenv("TILESCOPE_COLOUR", "red")
    monkeypatch.setenv("PORT", "2")
    names = ["port", "host", "data"]
    assert environment_settings("TILESCOPE_", names) == {"port": "1", "host": "h"}


def test_a_file_may_be_missing(tmp_path):
    assert file_settings(tmp_path / "none.toml") == {}
    (tmp_path / "some.toml").write_text('port = 3\nhost = "h"\n')
    assert file_settings(tmp_path / "some.toml") == {"port": 3, "host": "h"}


@pytest.mark.parametrize("content", [b"port = = 1", b"host = '\xff'"])
def test_a_file_that_is_not_toml_is_an_error(tmp_path, content):
    (tmp_path / "bad.toml").write_bytes(content)
    with pytest.raises(ValueError):
        file_settings(tmp_path / "bad.toml")
