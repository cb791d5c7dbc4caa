"""The command line, in this process."""

from click.testing import CliRunner

from app.cli.main import main


def run(*args):
    """Run a command; return its exit code and what it printed."""
    return CliRunner().invoke(main, [str(arg) for arg in args])
