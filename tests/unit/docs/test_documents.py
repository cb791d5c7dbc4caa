"""The documents say what the code does: generated ones equal its output, and nothing goes without mention."""

import ast
import re
import tomllib
from importlib import import_module
from pathlib import Path

import click
import pytest

from app import __version__, settings
from app.cli.main import main
from app.server.api import documented as api
from app.views import documented
from schema import diagnostics, metrics, sources
from schema import page as frames
from services import capabilities

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
PACKAGES = ("app", "components", "services", "ingest", "storage", "analysis", "data_loaders", "schema")
MAKES_FINDINGS = {diagnostics.Diagnostic.__name__, diagnostics.occurrences.__name__}
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]+)*/|[\w./-]+\.(?:py|js|css|toml))(?:::\w+)?`")
"""Folders, which end with a slash, and modules of the project."""
INPUTS = ("deeployStates/", "deeployRunner_tiled_siracusa.py", "frames/", "tilescope.toml")
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
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    ("name", "made"), [("docs/frames.md", frames), ("docs/metrics.md", metrics), ("docs/views.md", documented)]
)
def test_generated_documents_are_what_the_code_generates(name, made):
    assert read(name) == made.markdown(), f"run: python -m {made.__name__} > {name}"


def test_readme_has_the_table_of_sources():
    assert sources.markdown() in section(read("README.md"), "Inputs")


def test_readme_has_the_settings_table():
    assert settings.markdown() in section(read("README.md"), "Settings")


def test_the_page_of_the_api_has_the_tables_of_its_operations():
    assert api.markdown() in section(read("docs/api.md"), "Operations"), f"run: python -m {api.__name__}"


def test_every_setting_has_a_description():
    assert not [name for name, info in settings.Settings.model_fields.items() if not info.description]


def commands(group, words=""):
    """Return the commands by the words that call them, those of groups in their groups."""
    found = {}
    for name, command in group.commands.items():
        found |= commands(command, f"{words}{name} ") if isinstance(command, click.Group) else {words + name: command}
    return found


@pytest.mark.parametrize(("words", "command"), commands(main).items(), ids=lambda part: getattr(part, "name", part))
def test_readme_names_every_command_and_option(words, command):
    lines = section(read("README.md"), "Command line").splitlines()
    own = [line for line in lines if line.startswith(f"| `python -m app {words} ")]
    assert len(own) == 1
    wanted = {text for option in command.params if isinstance(option, click.Option) for text in option.opts}
    named = set(re.findall(r"--[A-Za-z]+(?:-[A-Za-z]+)*", own[0]))
    assert named == wanted - {"-h", "--help"}


def test_make_demo_and_make_test_head_the_readme():
    head = read("README.md").split("\n## ", 1)[0]
    assert head.index("make demo") < head.index("make test") < head.index("![")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_paths_exist(path):
    text = re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    named = {name for name in PATH.findall(text) if not name.startswith(INPUTS)}
    assert not [name for name in named if not (ROOT / name).exists()]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_examples_import_what_exists(path):
    for code in re.findall(r"^```python\n(.*?)^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom):
                module = import_module(node.module)
                assert not [alias.name for alias in node.names if not hasattr(module, alias.name)], node.module


def test_architecture_has_the_table_of_capabilities():
    assert capabilities.markdown() in section(read("docs/architecture.md"), "One record for each thing")


def test_every_source_has_its_row_in_the_page_of_sources():
    rows = re.findall(
        r"`(\w+)`",
        " ".join(line.split("|")[1] for line in read("docs/sources.md").splitlines() if line.startswith("| [`")),
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
    newest = re.findall(r"^## (\d+\.\d+\.\d+) - \d{4}-\d{2}-\d{2}$", read("CHANGELOG.md"), re.MULTILINE)[0]
    assert project["version"] == newest == __version__


def test_architecture_explains_every_dependency():
    wanted = {re.split(r"[<>=]", line)[0] for line in read("requirements.in").splitlines() if line[:1].isalpha()}
    explained = set(
        re.findall(r"`([\w-]+)`", " ".join(_first_cells(section(read("docs/architecture.md"), "Dependencies"))))
    )
    assert explained == wanted


def test_methods_explain_every_finding():
    explained = set(re.findall(r"`(\w+)`", " ".join(_first_cells(section(read("docs/methods.md"), "Findings")))))
    assert explained == findings_in_code()


def findings_in_code():
    """Return the codes of the diagnostics that the packages make."""
    codes = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            codes |= {code for node in ast.walk(ast.parse(path.read_text("utf-8"))) if (code := _code(node))}
    return codes


def _code(node):
    """Return the second argument of a call of what makes diagnostics where it is a text."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAKES_FINDINGS):
        return None
    code = node.args[1] if len(node.args) > 1 else None
    return code.value if isinstance(code, ast.Constant) else None


def _first_cells(text):
    return [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
