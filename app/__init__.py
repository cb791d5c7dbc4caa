"""What runs: settings, command line, application factory, pages and HTTP routes."""

__version__ = "0.3.0"
"""The release; `pyproject.toml` and the newest section of `CHANGELOG.md` have the same."""
