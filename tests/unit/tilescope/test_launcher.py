import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.patterns import PACKAGES

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder as a wheel fills it, with links to the packages."""
    site = tmp_path_factory.mktemp("site")
    (site / "tilescope/_tree").mkdir(parents=True)
    for file in (ROOT / "tilescope").glob("*.py"):
        (site / "tilescope" / file.name).symlink_to(file)
    for name in (*PACKAGES, "assets"):
        (site / "tilescope/_tree" / name).symlink_to(ROOT / name)
    return site


@pytest.fixture
def elsewhere(tmp_path):
    """A working directory with packages of the project's names."""
    for name in PACKAGES:
        (tmp_path / "cwd" / name).mkdir(parents=True)
        (tmp_path / "cwd" / name / "__init__.py").write_text(
            "raise SystemExit('from the working directory')"
        )
    return tmp_path / "cwd"


def run(site, folder, *command):
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTHON", "TILESCOPE_"))
    }
    return subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=folder,
        env=environment | {"PYTHONPATH": str(site), "TILESCOPE_DATA": str(folder / "data")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_processes_work_from_the_package_and_not_from_the_working_directory(installed, elsewhere):
    logs = ROOT / "samples/tpu_mlir"
    done = run(
        installed,
        elsewhere,
        "-m",
        "tilescope",
        "ingest",
        logs,
        ROOT / "samples/minimalloc",
        "--jobs",
        "2",
    )
    assert (done.returncode, done.stderr.count("working directory")) == (0, 0), done.stderr
    assert done.stdout.count("new ") >= 2


@pytest.mark.slow
def test_an_installed_command_is_called_by_its_name(installed, elsewhere):
    usage = run(
        installed,
        elsewhere,
        "-P",
        "-c",
        "from tilescope.launcher import main; main()",
        "runs",
        "--help",
    ).stdout
    assert usage.startswith("Usage: tilescope runs")
    told = run(
        installed,
        elsewhere,
        "-c",
        "import tilescope; from schema.command import COMMAND; print(COMMAND)",
    ).stdout
    assert told.strip() == "tilescope"


def test_a_checkout_has_the_same_command(tmp_path):
    usage = run(ROOT, tmp_path, "-m", "tilescope", "runs", "--help").stdout
    assert usage.startswith("Usage: python -m app runs")


@pytest.mark.slow
def test_no_text_names_the_command_in_another_way():
    named = {
        str(file.relative_to(ROOT))
        for package in PACKAGES
        for file in (ROOT / package).rglob("*.py")
        if "python -m app " in file.read_text("utf-8")
    }
    assert named == {
        "app/cli/documented.py"
    }  # a page of documentation, which is made in a checkout
