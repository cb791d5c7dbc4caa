"""The skill for assistants names every tool, every kind of analysis, and only commands that exist."""

import re
from typing import get_args

from app.cli.main import main
from app.mcp.analyse import Analyse
from app.mcp.registry import TOOLS
from tests.support.services import ROOT

SKILL = (ROOT / "docs" / "skill.md").read_text()
ROWS = [line.strip("| ").split(" | ") for line in SKILL.splitlines() if line.startswith("| ")]


def test_every_tool_and_kind_answers_a_question():
    named = {word for row in ROWS for word in re.findall(r"`([a-z_]+)`", " ".join(row))}
    kinds = set(get_args(Analyse.model_fields["kind"].annotation))
    # A run is described at the begin of the file, before any question about it.
    assert {tool.name for tool in TOOLS} - {"describe_run"} | kinds <= named
    assert "`describe_run`" in SKILL


def test_every_command_exists():
    commands = {
        text.split()[0] for row in ROWS for text in re.findall(r"`([a-z-]+(?: [^`]+)?)`", row[-1])
    }
    assert commands
    assert commands <= set(main.commands)


def test_it_has_the_head_of_a_skill():
    head = SKILL.split("---")[1]
    assert re.search(r"^name: [a-z-]+$", head, re.MULTILINE)
    assert 0 < len(re.search(r"^description: (.+)$", head, re.MULTILINE)[1]) <= 1024
