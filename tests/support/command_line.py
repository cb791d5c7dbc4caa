"""Commands of Tilescope, executed in this process."""

from click.testing import CliRunner

from app.cli.main import main


def run(*args):
    """Run a command; return click's result with exit code, stdout and stderr."""
    return CliRunner().invoke(main, [str(arg) for arg in args])


def good(told):
    """Assert that a command succeeded without a text on stderr, and return its stdout."""
    assert (told.exit_code, told.stderr) == (0, "")
    return told.stdout


def refused(told, code=1):
    """Assert that a command failed with a code and one line on stderr, without stdout; return the
    line.
    """
    assert (told.exit_code, told.stdout) == (code, "")
    (line,) = told.stderr.splitlines()
    return line


def output_of(*args):
    """Run a command, assert that it succeeds without a text on stderr, and return its stdout."""
    return good(run(*args))


def error_of(*args):
    """Run a command, assert that it fails, and return its error line, `Error: ...` with a line end."""
    line = refused(run(*args))
    assert line.startswith("Error: ")
    return f"{line}\n"
