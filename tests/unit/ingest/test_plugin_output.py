"""Output of a plugin's loader never gets into the output of a command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.installed_plugins import install_plugin

ROOT = Path(__file__).resolve().parents[3]
LOADER = """
    import os

    from tilescope.plugin import Bundle, LoadedRun

    class Loader:
        api_version = 1
        name = "loud"
        title = reads = how_to = "loud"
        setting_names = frozenset()
        version = "1"

        def sniff(self, path, head):
            print("examined " * 2000, flush=True)
            return None if head.startswith(b"loud") else "not loud"

        def bundle(self, path):
            return Bundle(path)

        def load(self, path, settings, origin=None, companions=()):
            print("read", flush=True)
            os.write(1, b"written")
            return LoadedRun({"name": "loud"}, {})
"""


@pytest.mark.parametrize("files", [1, 3])
def test_json_of_an_ingest_has_no_text_of_a_plugin(tmp_path, files):
    packages, folder = tmp_path / "packages", tmp_path / "in"
    packages.mkdir()
    folder.mkdir()
    install_plugin(packages, "loud_loader", LOADER, {"loud": "Loader"})
    for number in range(files):
        (folder / f"{number}.txt").write_text(f"loud {number}")
    command = [sys.executable, "-m", "app", "ingest", str(folder), "--json", "--data"]
    done = subprocess.run(
        [*command, str(tmp_path / "data")],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert len(json.loads(done.stdout)["runs"]) == files
    assert "examined" in done.stderr
    assert "written" in done.stderr
