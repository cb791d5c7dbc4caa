"""What the commands share: numbers of bytes, who asks, how they end, and where they write to."""

import getpass
import os
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from app.cli.common import (
    ByteSize,
    ByteSizes,
    CannotDecideError,
    Cli,
    operator,
    output_stream,
    printable,
    set_option,
)
from app.cli.main import main
from app.config.settings import ConfigurationError
from storage.errors import StorageError
from tests.support.command_line import run


def integer_options(command, path=()):
    """Yield the path and type of every option of whole numbers, of a command and the commands below it."""
    for parameter in command.params:
        if isinstance(parameter.type, click.types.IntParamType) and not parameter.is_flag:
            yield (*path, parameter.name), parameter.type
    for name, below in getattr(command, "commands", {}).items():
        yield from integer_options(below, (*path, name))


CHECKED_BY_SETTINGS = {"port", "workers", "threads"}
"""Options with the range of the setting of this name."""


def test_no_whole_number_is_too_large_for_a_catalogue():
    found = [
        (path, kind) for path, kind in integer_options(main) if path[-1] not in CHECKED_BY_SETTINGS
    ]
    assert len(found) > 20
    assert [path for path, kind in found if not (getattr(kind, "max", None) or 2**63) < 2**63] == []


@pytest.mark.parametrize("number", ["2147483648", "-1", "9" * 20, "9" * 400])
@pytest.mark.parametrize(
    "command",
    [["runs", "--limit"], ["runs", "--M"], ["jobs", "--limit"], ["retention", "--keep-last"]],
)
def test_a_number_beyond_the_range_is_a_sentence_with_its_option(tmp_path, command, number):
    done = CliRunner().invoke(main, [*command, number, "--data", str(tmp_path)])
    assert done.exit_code == 1
    assert command[1] in done.stderr
    assert "unexpected" not in done.stderr


def ends_with(error, code=None):
    """Return how a command ends that raises an error, and has an exit code of its own where one is given."""

    @click.command()
    def fail():
        raise error

    if code is not None:
        fail.error_code = code
    return CliRunner().invoke(Cli(commands={"fail": fail}), ["fail"])


class TestByteSizes:
    @pytest.mark.parametrize(
        ("text", "sizes"),
        [("100", (100,)), ("2KiB,3", (2048, 3)), ("1.5MiB,1.5MiB", (1_572_864,) * 2)],
    )
    def test_numbers_with_and_without_a_unit(self, text, sizes):
        assert ByteSizes()(text) == sizes
        assert ByteSizes()(sizes) == sizes

    @pytest.mark.parametrize("text", ["", "0", "1,,2", "-1", "1 apple", "1,x"])
    def test_what_is_no_number_of_bytes_is_refused(self, text):
        with pytest.raises(click.BadParameter):
            ByteSizes()(text)

    def test_one_number_may_be_0(self):
        assert (ByteSize()("0"), ByteSize()("4KiB")) == (0, 4096)
        with pytest.raises(click.BadParameter):
            ByteSize()("-1")


class TestEnds:
    @pytest.mark.parametrize(
        ("error", "said"),
        [
            (click.ClickException("no \x1b[2J such run"), "no  [2J such run"),
            (click.exceptions.Abort(), "interrupted"),
            (StorageError("the disk is full"), "the disk is full"),
            (ConfigurationError("port is no number"), "port is no number"),
            (FileNotFoundError(2, "No such file", "/a"), "/a: No such file"),
            (OSError(28, "No space left"), "No space left"),
            (RuntimeError("oops\nmore"), "unexpected RuntimeError: oops more"),
        ],
        ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
    )
    def test_an_error_is_one_line_and_exit_code_1(self, error, said):
        told = ends_with(error)
        assert (told.exit_code, told.stdout) == (1, "")
        (line,) = told.stderr.splitlines()
        assert line.startswith(f"Error: {said}")

    def test_a_command_may_have_an_exit_code_of_its_own_for_errors(self):
        assert ends_with(RuntimeError("oops"), code=3).exit_code == 3
        assert ends_with(CannotDecideError("no older run"), code=3).exit_code == 2

    def test_ctrl_c_ends_with_one_line(self):
        told = ends_with(KeyboardInterrupt())
        assert (told.exit_code, told.stdout) == (1, "")
        assert told.stderr.strip() == "Error: interrupted"

    def test_a_group_without_a_command_shows_its_help(self):
        told = run()
        assert told.exit_code == 1
        assert "Usage" in told.stderr

    def test_nobody_reads_on_and_it_ends_quietly(self, monkeypatch, capfd):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "w") as stdout:
            monkeypatch.setattr(sys, "stdout", stdout)
            with pytest.raises(SystemExit) as ended:
                Cli(commands={"write": _write}).main(["write"])
        assert ended.value.code == 1
        assert capfd.readouterr().err == ""


@click.command()
def _write():
    sys.stdout.write("a line that is flushed at the end\n")


class TestOperator:
    def test_the_audit_log_has_the_name_of_the_account(self, monkeypatch):
        monkeypatch.setenv("LOGNAME", "ada")
        assert operator() == "command line ada"

    @pytest.mark.parametrize("error", [KeyError("uid"), OSError("no such user")])
    def test_an_account_may_have_no_name(self, monkeypatch, error):
        def fail():
            raise error

        monkeypatch.setattr(getpass, "getuser", fail)
        assert operator() == "command line"


class TestOutput:
    def test_a_file_is_there_as_a_whole_or_as_before(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("before")
        path.chmod(0o640)
        with pytest.raises(RuntimeError):
            _write_half(path)
        assert path.read_text() == "before"
        with output_stream(path) as stream:
            stream.write(b"whole")
        assert (path.read_text(), path.stat().st_mode & 0o777) == ("whole", 0o640)
        assert [*tmp_path.iterdir()] == [path]

    def test_a_new_file_is_not_there_after_an_error(self, tmp_path):
        with pytest.raises(RuntimeError):
            _write_half(tmp_path / "a.csv")
        assert not [*tmp_path.iterdir()]

    def test_a_link_stays_one(self, tmp_path):
        (tmp_path / "link.csv").symlink_to(tmp_path / "a.csv")
        with output_stream(tmp_path / "link.csv") as stream:
            stream.write(b"whole")
        assert (tmp_path / "link.csv").is_symlink()
        assert (tmp_path / "a.csv").read_text() == "whole"

    def test_a_device_is_written_to_as_it_is(self):
        with output_stream(Path(os.devnull)) as stream:
            stream.write(b"gone")

    def test_a_folder_that_is_missing_is_said(self, tmp_path):
        with (
            pytest.raises(click.ClickException, match="no folder"),
            output_stream(tmp_path / "none" / "a.csv"),
        ):
            pass


def _write_half(path):
    with output_stream(path) as stream:
        stream.write(b"half")
        raise RuntimeError


class TestSet:
    @pytest.mark.parametrize(
        ("args", "given"),
        [
            ((), {}),
            (("m = 32", "k=a=b"), {"m": "32", "k": "a=b"}),
            (("m=1", "m=2"), {"m": "2"}),
            (("m=",), {"m": ""}),
        ],
    )
    def test_pairs_are_read(self, args, given):
        assert _set(*args).return_value == given

    @pytest.mark.parametrize("text", ["m", "=1", " =1", "m=\udcff"])
    def test_what_is_no_pair_is_refused(self, text):
        assert isinstance(_set(text).exception, click.BadParameter)


def _set(*texts):
    """Return how a command ends that gives back its settings."""
    command = click.command()(set_option("Settings.")(lambda settings_given: settings_given))
    return CliRunner().invoke(
        command, [x for text in texts for x in ("--set", text)], standalone_mode=False
    )


def test_control_characters_become_spaces():
    assert printable("a\tb\x1b\u202ec é") == "a b  c é"
