"""Entry point of `python -m app`."""

from app.cli.main import main
from schema.command import COMMAND

main(prog_name=COMMAND)
