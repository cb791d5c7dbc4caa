"""The documents say what the code does: generated ones equal its output, and nothing goes without mention."""

import ast
import json
import re
import tomllib
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import pytest

from app import __version__
from app.cli import documented as cli
from app.cli.main import main
from app.config import settings
from app.pages import documented
from app.server.api import documented as api
from samples import history
from schema import diagnostics, metrics_page, sources
from schema import page as frames
from services.run import capabilities
from storage.audit import ACTIONS
from tests.support.registration import PACKAGES

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
MAKES_FINDINGS = {diagnostics.Diagnostic.__name__, diagnostics.occurrences.__name__}
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]+)*/|[\w./-]+\.(?:py|js|css|toml))(?:::\w+)?`")
"""Folders, which end with a slash, and modules of the project."""
MADE_UP = "tilescope_beats"
"""The package that docs/plugins.md makes, whose own test imports it."""
INPUTS = (
    f"{MADE_UP}/",
    "tests/test_plugin.py",
    "deeployStates/",
    "deeployRunner_tiled_siracusa.py",
    "frames/",
    "tilescope.toml",
)
"""Paths that look alike and are of users, inputs and stores."""
LINK = re.compile(r"\]\(([^)\s]+)\)")


def read(name):
    return (ROOT / name).read_text("utf-8")


def section(text, heading):
    """Return the text under a heading of the second level."""
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def anchors(path):
    """Return the fragments that lead to the headings of a document."""
    headings = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("docs/commands.md", cli),
        ("docs/frames.md", frames),
        ("docs/metrics.md", metrics_page),
        ("docs/settings.md", settings),
        ("docs/views.md", documented),
    ],
)
def test_generated_documents_are_what_the_code_generates(name, made):
    assert read(name) == made.markdown(), f"run: python -m {made.__name__} > {name}"


def test_the_page_of_sources_has_the_table_of_their_settings():
    assert sources.markdown() in section(read("docs/sources.md"), "Files and settings")


def test_the_page_of_the_api_has_the_tables_of_its_operations():
    page = read("docs/api.md")
    assert api.with_tables(page) == page, f"run: python -m {api.__name__}"
    assert page.count(api.markdown()) == 1


def test_tables_of_the_api_take_the_place_of_older_ones():
    page = read("docs/api.md")
    older = page.replace("### Members\n", "| `Old` | `member` |\n\n### Members\n", 1)
    words = api.markdown().replace("Default 50.", "Default 49.")
    assert (
        api.with_tables(older.replace("\n## Operations\n", f"\n## Operations\n\n{words}", 1))
        == page
    )
    assert "no commas" in next(
        line for line in page.splitlines() if line.startswith("| `Added` | `tags`")
    )


def test_every_setting_has_a_description():
    assert not [
        name for name, info in settings.Settings.model_fields.items() if not info.description
    ]


@pytest.mark.parametrize(
    ("words", "command"), [*cli.commands(main)], ids=lambda part: getattr(part, "name", part)
)
def test_every_command_and_option_has_a_help_text_on_the_page_of_commands(words, command):
    options = [option for option in command.params if isinstance(option, click.Option)]
    assert command.help
    assert not [option.name for option in options if not option.help]
    own = section(read("docs/commands.md"), words)
    named = set(re.findall(r"^\| `(--[A-Za-z-]+)", own, re.MULTILINE))
    assert named == {text for option in options for text in option.opts} - {"--data"}


def test_the_readme_is_short_and_leads_to_every_document():
    readme = read("README.md")
    assert len(readme.splitlines()) < 120
    own = {
        path
        for path in ROOT.glob("docs/*.md")
        if "{include}" not in path.read_text(encoding="utf-8")
    }
    assert {f"docs/{path.name}" for path in own - {ROOT / "docs/index.md"}} <= set(
        LINK.findall(readme)
    )


def test_the_readme_names_what_the_demo_has():
    with TemporaryDirectory() as folder:
        story = json.loads(history.write_history(Path(folder)).read_text("utf-8"))
    names = [entry["name"] for kind in ("baselines", "views") for entry in story[kind]]
    tags = [tag for entry in story["annotations"] for tag in entry["tags"]]
    tour = section(read("README.md"), "Five minutes in the demo")
    assert all(f"*{name}*" in tour for name in names)
    assert all(f"`{tag}`" in tour for tag in tags)


def test_make_demo_and_make_test_head_the_readme():
    readme = read("README.md")
    assert readme.index("make demo") < readme.index("make test") < readme.index("![")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_paths_exist(path):
    text = re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    named = {name for name in PATH.findall(text) if not name.startswith(INPUTS)}
    assert not [name for name in named if not (ROOT / name).exists()]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_examples_import_what_exists(path):
    for code in re.findall(
        r"^```python\n(.*?)^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL
    ):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom) and not str(node.module).startswith(MADE_UP):
                module = import_module(node.module)
                assert not [
                    alias.name for alias in node.names if not hasattr(module, alias.name)
                ], node.module


def test_architecture_has_the_table_of_capabilities():
    assert capabilities.markdown() in section(
        read("docs/architecture.md"), "One record for each thing"
    )


def test_every_source_has_its_row_in_the_page_of_sources():
    rows = re.findall(
        r"`(\w+)`",
        " ".join(
            line.split("|")[1]
            for line in read("docs/sources.md").splitlines()
            if line.startswith("| [`")
        ),
    )
    assert rows == [source.name for source in sources.SOURCES]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_resolve(path):
    for link in LINK.findall(path.read_text("utf-8")):
        if link.startswith(("http://", "https://")):
            continue
        name, _, fragment = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), link
        assert not fragment or fragment in anchors(target), link


def test_the_release_is_the_same_everywhere():
    project = tomllib.loads(read("pyproject.toml"))["project"]
    newest = re.findall(
        r"^## (\d+\.\d+\.\d+) - \d{4}-\d{2}-\d{2}$", read("CHANGELOG.md"), re.MULTILINE
    )[0]
    assert project["version"] == newest == __version__


def test_a_document_explains_every_dependency():
    wanted = {
        re.split(r"[<>=]", line)[0]
        for line in read("requirements.in").splitlines()
        if line[:1].isalpha()
    }
    text = section(read("docs/dependencies.md"), "Dependencies")
    explained = set(re.findall(r"`([\w-]+)`", " ".join(_first_cells(text))))
    assert explained == wanted


def test_the_page_of_hosting_lists_what_the_audit_log_has():
    _, listed = read("docs/hosting.md").split("\n### Audit log\n", 1)
    assert re.findall(r"`([a-z.]+)`", listed.split("People are there by name", 1)[0]) == [*ACTIONS]


@pytest.mark.slow
def test_methods_explain_every_finding():
    explained = set(
        re.findall(r"`(\w+)`", " ".join(_first_cells(section(read("docs/methods.md"), "Findings"))))
    )
    assert explained == findings_in_code()


def findings_in_code():
    """Return the codes of the diagnostics that the packages make."""
    codes = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            codes |= {
                code
                for node in ast.walk(ast.parse(path.read_text("utf-8")))
                if (code := _code(node))
            }
    return codes


def _code(node):
    """Return the second argument of a call of what makes diagnostics where it is a text."""
    if not (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in MAKES_FINDINGS
    ):
        return None
    code = node.args[1] if len(node.args) > 1 else None
    return code.value if isinstance(code, ast.Constant) else None


def _first_cells(text):
    return [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
