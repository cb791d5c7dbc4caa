import subprocess
import sys

import pytest

from data_loaders.reading import isolated
from data_loaders.reading.isolated import KilledError, run_isolated


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write a module of the given text and return its name."""
    monkeypatch.setattr(isolated, "ROOT", tmp_path)

    def write(text):
        (tmp_path / "reader.py").write_text(text)
        return "reader"

    return write


def test_arguments_arrive_and_nothing_else_does(module, tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "x")
    out = tmp_path / "out"
    text = "import os, sys\nopen(sys.argv[1], 'w').write(repr((sys.argv[2:], sys.stdin.read(), os.environ.get('SECRET'))))"
    run_isolated(module(text), [str(out), "a; b", "$c"], 60)
    assert out.read_text() == "(['a; b', '$c'], '', None)"


@pytest.mark.quick_every(2)
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import sys; sys.exit(3)", "failed"),
        ("raise ValueError('boom')", "failed"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "was stopped by SIGSEGV"),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
            "exceeded its limit of time or memory",
        ),
        (
            "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (1, 2))\nwhile True: pass",
            "exceeded its limit of processor time",
        ),
    ],
)
def test_an_end_without_an_answer_is_said(module, text, why):
    with pytest.raises(KilledError, match=why):
        run_isolated(module(text), [], 60)


def test_what_does_not_end_is_ended(module):
    with pytest.raises(KilledError, match="took more than 1 s"):
        run_isolated(module("import time; time.sleep(60)"), [], 1.0)


def test_it_is_the_same_python(module, tmp_path):
    out = tmp_path / "out"
    run_isolated(module("import sys\nopen(sys.argv[1], 'w').write(sys.prefix)"), [str(out)], 60)
    assert out.read_text() == sys.prefix


def test_what_lies_where_the_server_stands_is_never_imported(module, tmp_path, monkeypatch):
    """A folder of captures may hold a file that is called like a module."""
    here = tmp_path / "captures"
    here.mkdir()
    for name in ("json", "pandas", "reader"):
        (here / f"{name}.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w')")
    monkeypatch.chdir(here)
    run_isolated(module("import json, sys; json.dumps({})"), [], 60)
    assert not (tmp_path / "executed").exists()


def test_of_what_it_prints_the_end_is_kept(module, caplog):
    text = "import sys\nsys.stdout.write('x' * 10**7)\nsys.stderr.write('y' * 10**7 + '\\x1b[2Jthe end')\nsys.exit(1)"
    with caplog.at_level("DEBUG"), pytest.raises(KilledError, match="failed"):
        run_isolated(module(text), [], 60)
    assert len(caplog.text) < 6000
    assert "the end" in caplog.text
    assert "\x1b" not in caplog.text


@pytest.mark.skipif(
    sys.platform != "linux", reason="other systems do not tell a process that its starter ended"
)
def test_a_reader_ends_with_the_process_that_started_it():
    reader = """
import time
from data_loaders.reading.isolated import end_with_starter
end_with_starter()
print("ready", flush=True)
time.sleep(20)
print("outlived it")
"""
    starter = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {reader!r}])"
    with subprocess.Popen(
        [sys.executable, "-c", starter], stdout=subprocess.PIPE, cwd=isolated.ROOT
    ) as started:
        assert started.stdout.readline() == b"ready\n"
        started.kill()
        assert started.stdout.read() == b""
