"""What a command imports: commands that read no frames start without the libraries that do."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.commands import Commands
from app.cli.main import main
from schema.sources import SOURCES

ROOT = Path(__file__).resolve().parents[4]
_HEAVY = {"pandas", "numpy", "pyarrow", "plotly", "dash", "flask", "alembic", "onnx"}
_RUN = """
import sys
from app.cli.main import main
try:
    main(sys.argv[1:], prog_name="app")
finally:
    own = ("app.cli.", "data_loaders.", "analysis.")
    names = [name for name in sys.modules if "." not in name or name.startswith(own)]
    print("imported", *sorted(names), file=sys.stderr)
"""


def imported(*arguments):
    """Run a command and return the packages, commands and loaders that its process imported."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *arguments],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
        timeout=120,
    )
    return set(done.stderr.rpartition("imported")[2].split())


@pytest.mark.quick_every(4)
@pytest.mark.parametrize(
    "arguments", [("--help",), ("--version",), ("ingest", "--help"), ("serve", "--help")]
)
def test_help_and_version_import_neither_settings_nor_storage(arguments):
    assert not imported(*arguments) & (_HEAVY | {"pydantic", "sqlalchemy", "asyncio"})


@pytest.mark.slow
def test_the_list_of_runs_imports_nothing_that_frames_need(tmp_path):
    data = str(tmp_path / "data")
    assert not imported("runs", "--data", data) & _HEAVY
    subprocess.run(
        [sys.executable, "-m", "app", "ingest", "samples/minimalloc", "--data", data],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=120,
    )
    event_loop = {"asyncio", "ssl", "dotenv", "pydantic_settings"}
    assert not imported("runs", "--data", data) & (_HEAVY | event_loop | {"sqlalchemy"})
    assert not imported("runs", "--json", "--data", data) & (_HEAVY | {"sqlalchemy"})


@pytest.mark.slow
def test_an_upgrade_of_a_catalogue_of_today_needs_no_alembic(tmp_path):
    assert not imported("db", "upgrade", "--data", str(tmp_path)) & _HEAVY


@pytest.mark.slow
def test_a_command_imports_no_other_command(tmp_path):
    names = imported("runs", "--data", str(tmp_path))
    commands = {"app.cli.runs", "app.cli.records"}
    shared = {"app.cli.main", "app.cli.common", "app.cli.commands"}
    assert {name for name in names if name.startswith("app.cli.")} == commands | shared


@pytest.mark.slow
def test_an_ingest_of_a_file_leaves_loaders_to_the_process_that_reads(tmp_path):
    file = "samples/minimalloc/harbour.81920.csv"
    names = imported("ingest", file, "--data", str(tmp_path))
    loaders = {source.loader.partition(":")[0] for source in SOURCES}
    assert "pandas" in names
    assert not names & loaders


@pytest.mark.slow
def test_an_ingest_of_a_file_leaves_the_analyses_of_families_to_its_reader(tmp_path):
    names = imported("ingest", "samples/results/decoding/results.csv", "--data", str(tmp_path))
    families = ("analysis.aie.", "analysis.kernels.", "analysis.program.", "analysis.timeline.")
    memory_analysis = {"analysis.memory.derive", "analysis.memory.large_maps"}
    assert "analysis.derive" in names
    assert not {name for name in names if name.startswith(families)} | names & memory_analysis


@pytest.mark.slow
def test_a_loader_that_looks_at_a_file_imports_nothing_that_only_loads_it():
    looking = (
        "data_loaders.aie.trace",
        "data_loaders.onnxruntime.profile",
        "data_loaders.tpu_mlir.log",
    )
    code = f"import sys, {', '.join(looking)}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True, text=True
    )
    loading = {
        "data_loaders.aie_design.reader",
        "data_loaders.onnxruntime.run",
        "data_loaders.tpu_mlir.module",
        "data_loaders.tpu_mlir.runs",
    }
    assert not set(done.stdout.split()) & loading


@pytest.mark.parametrize("name", [*main.commands])
def test_every_command_has_the_name_under_which_it_is_listed(name):
    assert main.commands[name].name == name


def test_a_command_may_be_added_replaced_and_removed():
    commands = Commands(["runs:runs", "compile_time:compile_time"])
    assert [*commands] == ["runs", "compile-time"]
    commands["other"] = main.commands["runs"]
    assert (len(commands), commands["other"]) == (3, main.commands["runs"])
    del commands["other"]
    assert [*commands] == ["runs", "compile-time"]
    assert commands.get("other") is None
