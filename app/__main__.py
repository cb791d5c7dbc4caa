"""`python -m app`."""

from app.cli.main import main

main(prog_name="python -m app")
