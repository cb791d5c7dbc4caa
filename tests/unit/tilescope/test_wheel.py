import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
WHEEL = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]


def required(file):
    lines = (ROOT / file).read_text().splitlines()
    return {
        re.split(r"[\s<>=\[]", line)[0]
        for line in lines
        if line and not line.startswith(("#", "-"))
    }


@pytest.mark.slow
def test_a_wheel_has_every_folder_that_runs_below_one_package():
    layers = next(
        one for one in PROJECT["tool"]["importlinter"]["contracts"] if one["type"] == "layers"
    )["layers"]
    packages = {name for layer in layers for name in layer.split(" | ")}
    assert {*WHEEL["only-include"]} == packages | {"assets", "samples"}
    moved = {*WHEEL["only-include"]} - {"tilescope"}
    assert WHEEL["sources"] == {name: f"tilescope/_tree/{name}" for name in moved}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(folder),
        str(ROOT),
    ]
    subprocess.run([sys.executable, *build], check=True)
    (file,) = folder.glob("*.whl")
    return file


@pytest.mark.slow
def test_a_wheel_brings_its_files_and_names_what_it_needs(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = next(archive.read(name).decode() for name in names if name.endswith("/METADATA"))
    assert {name.split("/")[0].split("-")[0] for name in names} == {"tilescope"}
    assert not [
        name for name in names if re.search(r"/(tests|benchmarks|deploy|__pycache__)/", name)
    ]
    for kind in (
        "assets/vendor/plotly-cartesian.min.js",
        "storage/migrations/env.py",
        "samples/minimalloc/",
    ):
        assert any(f"_tree/{kind}" in name for name in names), kind
    assert ("tilescope/_tree/build/docs/index.html" in names) == (ROOT / "build/docs").is_dir()
    needs = re.findall(r"^Requires-Dist: ([\w-]+)(.*)$", metadata, re.MULTILINE)
    assert {name for name, rest in needs if "extra ==" not in rest} == required("requirements.in")
    for extra in ("full", "hosting"):
        named = {name for name, rest in needs if re.search(rf"extra == .{extra}", rest)}
        assert named == required(f"requirements-{extra}.in")


@pytest.mark.slow
def test_an_environment_with_the_wheel_has_the_command_and_no_other_module(wheel, tmp_path):
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", wheel], check=True)
    (site,) = (tmp_path / "env/lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"])
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTHON", "TILESCOPE_"))
    }
    command = [
        python.with_name("tilescope"),
        "ingest",
        ROOT / "samples/minimalloc",
        "--data",
        "data",
        "--json",
    ]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["runs"]
    foreign = subprocess.run(
        [python, "-I", "-c", "import app"], cwd=tmp_path, capture_output=True, check=False
    )
    assert foreign.returncode
