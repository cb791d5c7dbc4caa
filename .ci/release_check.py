"""Check that a release is whole: versions, changelog, lock files and generated documents agree.

`release_check.py` runs in the project's root by the project's Python. It prints a line per problem and exits with 1 if
there is one.
"""

import datetime
import re
import subprocess
import sys
import tempfile
import tomllib
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))

SECTIONS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
DOCUMENTS = {
    "docs/commands.md": "app.cli.documented",
    "docs/frames.md": "schema.page",
    "docs/metrics.md": "schema.metrics_page",
    "docs/settings.md": "app.config.settings",
    "docs/views.md": "app.pages.documented",
}
LOCKED = (
    "requirements",
    "requirements-full",
    "requirements-hosting",
    "requirements-dev",
    "requirements-services",
)
MAX_WORDS = 25
"""Words of a bullet of the changelog."""


def version_problems():
    """Compare the version of every file that has one with that of `pyproject.toml`."""
    version = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]["version"]
    patterns = {
        "app/__init__.py": r'__version__ = "([\d.]+)"',
        "client/pyproject.toml": r'^version = "([\d.]+)"',
        "client/README.md": r"tilescope_client-([\d.]+)-",
        "deploy/compose.yaml": r"TILESCOPE_VERSION:-([\d.]+)",
        "deploy/kubernetes/example/kustomization.yaml": r"newTag: ([\d.]+)",
        **{
            str(path): r"image: tilescope:([\d.]+)"
            for path in Path("deploy/kubernetes/base").glob("*.yaml")
        },
    }
    for name, pattern in patterns.items():
        for found in re.findall(pattern, Path(name).read_text("utf-8"), re.MULTILINE):
            if found != version:
                yield f"{name}: version {found}, but pyproject.toml has {version}"


def changelog_problems():
    """Check the newest release of the changelog: version, date, sections, and the length of its bullets."""
    version = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]["version"]
    text = Path("CHANGELOG.md").read_text("utf-8")
    parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)[1:]
    releases = dict(zip(parts[::2], parts[1::2], strict=True))
    titles = list(releases)
    if titles[0] != "Unreleased":
        yield "CHANGELOG.md: the first section is not Unreleased"
    elif releases["Unreleased"].strip():
        yield "CHANGELOG.md: section Unreleased has changes that no release has"
    newest = re.fullmatch(r"([\d.]+) - (\d{4}-\d{2}-\d{2})", titles[1])
    if newest is None:
        yield f"CHANGELOG.md: the title {titles[1]!r} is not a version and a date"
        return
    if newest[1] != version:
        yield f"CHANGELOG.md: the newest release is {newest[1]}, but pyproject.toml has {version}"
    if datetime.date.fromisoformat(newest[2]) > datetime.datetime.now(tz=datetime.UTC).date():
        yield f"CHANGELOG.md: {newest[2]} is in the future"
    for section in re.findall(r"^### (.*)$", releases[titles[1]], re.MULTILINE):
        if section not in SECTIONS:
            yield f"CHANGELOG.md: section {section!r} is none of {', '.join(sorted(SECTIONS))}"
    for bullet in re.findall(r"^- (.*)$", releases[titles[1]], re.MULTILINE):
        if len(bullet.split()) > MAX_WORDS:
            yield f"CHANGELOG.md: more than {MAX_WORDS} words: {bullet}"


def lock_problems():
    """Compile each file of requirements again, from the versions that it locks, and compare."""
    options = [
        "--quiet",
        "--strip-extras",
        "--no-header",
        "--no-emit-index-url",
        "--no-emit-find-links",
    ]
    for name in LOCKED:
        locked = Path(f"{name}.txt")
        unsafe = ["--allow-unsafe"] if name in {"requirements-dev", "requirements-services"} else []
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / locked.name
            copy.write_text(locked.read_text("utf-8"), "utf-8")
            command = [
                sys.executable,
                "-m",
                "piptools",
                "compile",
                *options,
                *unsafe,
                "--output-file",
                str(copy),
            ]
            done = subprocess.run(  # noqa: S603
                [*command, f"{name}.in"], capture_output=True, text=True, check=False
            )
            if done.returncode:
                yield f"{name}.in: {done.stderr.strip().splitlines()[-1]}"
            elif _pins(copy) != _pins(locked):
                yield f"{locked}: differs from what {name}.in needs; run make requirements"


def _pins(path):
    return re.findall(r"^[\w.-]+==\S+", path.read_text("utf-8"), re.MULTILINE)


def document_problems():
    """Compare each generated document with what its module generates."""
    for name, module in DOCUMENTS.items():
        if import_module(module).markdown() != Path(name).read_text("utf-8"):
            yield f"{name}: run python -m {module} > {name}"


def main():
    """Print the problems; return the exit code."""
    checks = {
        "versions": version_problems,
        "changelog": changelog_problems,
        "lock files": lock_problems,
        "documents": document_problems,
    }
    problems = {name: list(check()) for name, check in checks.items()}
    for name, some in problems.items():
        print(f"{'FAIL' if some else 'ok  '} {name}")
        for problem in some:
            print(f"     {problem}")
    return 1 if any(problems.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
