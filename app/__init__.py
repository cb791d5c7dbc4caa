"""Settings, command line, application factory, pages and HTTP routes."""

__version__ = "0.3.0"
"""Release, equal to `pyproject.toml` and to the newest release in `CHANGELOG.md`."""
