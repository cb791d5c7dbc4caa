"""Entry point of `python -m app`."""

from app.cli.start import run

run()
