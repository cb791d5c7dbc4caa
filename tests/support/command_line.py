"""The command line, in this process."""

from click.testing import CliRunner

from app.cli.main import main


def run(*args):
    """Run a command; return its exit code and what it printed."""
    return CliRunner().invoke(main, [str(arg) for arg in args])


def good(told):
    """Return what a command printed that succeeded and complained of nothing."""
    assert (told.exit_code, told.stderr) == (0, "")
    return told.stdout


def refused(told):
    """Return the one line with which a command refused, which printed nothing else."""
    assert (told.exit_code, told.stdout) == (1, "")
    (line,) = told.stderr.splitlines()
    return line


def output_of(*args):
    """Run a command that succeeds and complains of nothing; return what it printed."""
    return good(run(*args))


def error_of(*args):
    """Run a command that fails; return the line of its error."""
    line = refused(run(*args))
    assert line.startswith("Error: ")
    return f"{line}\n"
