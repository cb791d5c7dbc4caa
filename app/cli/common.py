"""Shared parts of commands: errors in a line, options, output files, safe text for terminals."""

from __future__ import annotations

import functools
import getpass
import logging
import os
import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from stat import S_IMODE
from typing import Any, BinaryIO, NoReturn, TypeVar, cast

import click
from click.exceptions import NoArgsIsHelpError

from schema.byte_sizes import parse_bytes
from storage.errors import StorageError

Command = TypeVar("Command", bound=Callable[..., Any])
_LOG = logging.getLogger(__name__)


ERROR, UNDECIDED, GATE_ERROR = 1, 2, 3
"""Exit codes of an error, of a request that cannot be decided, and of an error of the gate.

The gate has its own code for errors, because its exit code 1 means a regression.
"""


_MAX_INTEGER = 2**31 - 1
"""Largest number that the catalogue compares with a column, in every kind of database."""
COUNT = click.IntRange(1, _MAX_INTEGER)
"""Command line type of a number of runs, jobs, rows of a GEMM and the like."""
INDEX = click.IntRange(0, _MAX_INTEGER)
"""Command line type of a number that counts from 0, such as a rank or a block."""


class ByteSizes(click.ParamType[tuple[int, ...]]):
    """Command line type of numbers of bytes above 0, separated by commas, with optional units."""

    name = "BYTES,..."

    def convert(
        self,
        value: Any,  # noqa: ANN401
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[int, ...]:
        """Parse the numbers, such as `64KiB,128KiB`, to bytes in their order; fails with a usage
        error if any of them is invalid.
        """
        if isinstance(value, tuple):
            return value
        try:
            return tuple(parse_bytes(text) for text in str(value).split(","))
        except ValueError as error:
            self.fail(str(error), param, ctx)


class ByteSize(click.ParamType[int]):
    """Command line type of a number of bytes from 0, with an optional unit."""

    name = "BYTES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ANN401 - click's own
        """Parse the number, such as `256KiB`, to bytes; fails with a usage error if it is invalid."""
        text = str(value)
        try:
            return 0 if text == "0" else parse_bytes(text)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class CannotDecideError(click.ClickException):
    """The request is valid, but has no result."""

    exit_code = UNDECIDED


class Cli(click.Group):
    """Group of commands that reports any error in a line on stderr, with an exit code other than 0.

    The exit code is 1, or the `error_code` of the command if it has one.
    """

    _error_code = ERROR

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command as click does, and store its exit code for errors."""
        resolved = super().resolve_command(ctx, args)
        self._error_code = getattr(resolved[1], "error_code", ERROR)
        return resolved

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        **extra: Any,  # noqa: ANN401 - click's own
    ) -> NoReturn:
        """Run a command and exit with the code that it returns, else 0; after an error with the
        code of the command for errors, or UNDECIDED if it is a CannotDecideError.
        """
        self._error_code = ERROR
        try:
            # In standalone mode click would print errors and exit by itself.
            code = super().main(args, prog_name, **extra | {"standalone_mode": False})
            sys.stdout.flush()
        except NoArgsIsHelpError as error:
            error.show()
            sys.exit(self._error_code)
        except BrokenPipeError:
            # Python flushes stdout when it exits, which would print an error without this.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        except Exception as error:
            _LOG.debug("the command failed", exc_info=True)
            click.echo(f"Error: {printable(_sentence(error))}", err=True)
            sys.exit(UNDECIDED if isinstance(error, CannotDecideError) else self._error_code)
        sys.exit(code if isinstance(code, int) else 0)


def _sentence(error: Exception) -> str:
    """Describe an error in a sentence for users; an unexpected error is named by its type."""
    from app.config.settings import ConfigurationError

    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, click.exceptions.Abort):
        return "interrupted"
    if isinstance(error, (StorageError, ConfigurationError)):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return f"unexpected {type(error).__name__}: {error} (--verbose before the command shows where)"


def printable(text: str) -> str:
    """Replace characters that are not printable by spaces.

    Names come from files, and a terminal obeys the control characters that it is sent.
    """
    return "".join(c if c.isprintable() else " " for c in text)


@contextmanager
def output_stream(output: Path | None) -> Iterator[BinaryIO]:
    """Open the output of a command: stdout if `output` is None, else a file that appears only when
    it is complete.

    Devices and named pipes are written directly. Raises ClickException if the folder does not
    exist.
    """
    if output is not None and not output.absolute().parent.is_dir():
        raise click.ClickException(f"{output}: there is no folder {output.parent}")
    if output is not None and (output.is_file() or not output.exists()):
        with _whole_file(Path(os.path.realpath(output))) as file:
            yield file
        return
    with click.open_file(str(output or "-"), "wb") as stream:
        yield cast("BinaryIO", stream)


@contextmanager
def _whole_file(output: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `output` when the block ends and has its permissions;
    removed after an error.
    """
    # In the same folder: a file cannot be replaced in one step from another file system.
    beside = output.with_name(f".tilescope-{secrets.token_hex(8)}")
    try:
        with beside.open("xb") as file:
            if output.exists():
                # The new file keeps the permissions of the file that it replaces.
                beside.chmod(S_IMODE(output.stat().st_mode))
            yield file
        beside.replace(output)
    finally:
        beside.unlink(missing_ok=True)


def operator() -> str:
    """Return the name of the user of the command for the audit log: `command line NAME`, or
    `command line` if the user has no name.
    """
    try:
        return f"command line {getpass.getuser()}"
    # In a container a user id may have no name.
    except (KeyError, OSError):
        return "command line"


def data_option(command: Command) -> Command:
    """Add the option `--data` to a command as the argument `data`, a folder or None."""
    kind = click.Path(file_okay=False, path_type=Path)
    return click.option(
        "--data", type=kind, help="Folder of the embedded store (default: setting `data`)."
    )(command)


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command: add the option `--data`, and pass the settings to the command as its first
    argument.
    """

    @data_option
    @functools.wraps(command)
    def run(data: Path | None, **arguments: object) -> None:
        from app.config.settings import load_settings

        command(load_settings(data=data), **arguments)

    return run


def set_option(
    meaning: str, flag: str = "--set", argument: str = "settings_given"
) -> Callable[[Command], Command]:
    """Return a decorator that adds the option `--set KEY=VALUE` (or `flag`), which may be repeated,
    as the argument `argument`, a dict of texts.
    """
    return click.option(
        flag, argument, metavar="KEY=VALUE", multiple=True, callback=_key_values, help=meaning
    )


def _key_values(
    _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for (key, equals, _), text in zip(pairs, texts, strict=True):
        if not key.strip() or not equals:
            raise click.BadParameter(f"{text!r} is not of the form KEY=VALUE")
        # Python reads bytes of an argument that are not UTF-8 as lone surrogates.
        if text != text.encode("utf-8", "replace").decode():
            raise click.BadParameter(f"{text!r} is not text in UTF-8")
    return {key.strip(): value.strip() for key, _, value in pairs}
