"""A plugin raises what it likes: callers see an Exception with a text, and signals go on."""

import asyncio
import os
import signal
import subprocess
import sys
import threading

import pytest

from data_loaders.plugin_boundary import PluginBoundary, PluginExitedError
from tests.support.installed_plugins import install_plugin
from tests.support.waiting import wait_until
from tests.support.warm_processes import ROOT


class Own(BaseException):
    pass


class UnprintableError(Exception):
    def __str__(self):
        raise KeyboardInterrupt


ENDING = [
    KeyboardInterrupt(),
    SystemExit(4),
    SystemExit("a text"),
    GeneratorExit(),
    asyncio.CancelledError(),
    BaseExceptionGroup("several", [KeyboardInterrupt()]),
    Own(),
    UnprintableError(),
]


@pytest.fixture(autouse=True)
def interrupt_handler():
    """Let Ctrl-C raise KeyboardInterrupt, as Python does if nothing else is set."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("error", ENDING, ids=lambda error: type(error).__name__)
def test_what_ends_a_process_becomes_an_exception_with_a_text(error):
    with pytest.raises(PluginExitedError) as raised, PluginBoundary():
        raise error
    assert (
        "exit(4)" in str(raised.value)
        if error is ENDING[1]
        else type(error).__name__ in str(raised.value)
    )


def test_an_exception_with_a_text_stays_as_it_is():
    error = KeyError("x")
    with pytest.raises(KeyError) as raised, PluginBoundary():
        raise error
    assert raised.value is error


def test_in_another_thread_the_same_holds():
    raised = []

    def call():
        try:
            with PluginBoundary():
                raise KeyboardInterrupt
        except PluginExitedError as error:
            raised.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert len(raised) == 1


def press_and_go_on():
    try:
        signal.raise_signal(signal.SIGINT)
    except BaseException:
        return


def press_and_fall_over():
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt as error:
        raise ValueError("another") from error


@pytest.mark.parametrize(
    "press", [lambda: signal.raise_signal(signal.SIGINT), press_and_go_on, press_and_fall_over]
)
def test_a_real_interrupt_goes_on_whatever_the_plugin_does_with_it(press, interrupt_handler):
    with pytest.raises(KeyboardInterrupt), PluginBoundary():
        press()
    assert signal.getsignal(signal.SIGINT) is interrupt_handler


def test_a_real_interrupt_goes_through_boundaries_within_each_other():
    with pytest.raises(KeyboardInterrupt), PluginBoundary(), PluginBoundary():
        signal.raise_signal(signal.SIGINT)


def test_what_another_signal_raises_goes_on(monkeypatch):
    class OverError(BaseException):
        pass

    def expire(_number, _frame):
        raise OverError

    before = signal.signal(signal.SIGUSR2, expire)
    try:
        with pytest.raises(OverError), PluginBoundary():
            signal.raise_signal(signal.SIGUSR2)
        assert signal.getsignal(signal.SIGUSR2) is expire
    finally:
        signal.signal(signal.SIGUSR2, before)


def test_handlers_that_a_plugin_sets_do_not_stay(interrupt_handler):
    with PluginBoundary():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert signal.getsignal(signal.SIGINT) is interrupt_handler


LOADER = """
    import pathlib, time

    def fall(*_given):
        raise {error}

    class Loader:
        name, reads, setting_names, version = "falling", "files", frozenset(), "1"

        def sniff(self, path, head):
            return None

        def bundle(self, path):
            from tilescope.plugin import Bundle
            return Bundle(path)

        load = fall

    class Waiting(Loader):
        name = "waiting"

        def sniff(self, path, head):
            pathlib.Path({marker!r}).touch()
            while True:
                time.sleep(0.01)
"""


def command(folder, *arguments):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    line = [sys.executable, "-m", "app", *map(str, arguments)]
    return subprocess.Popen(
        line,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )


@pytest.mark.slow
@pytest.mark.parametrize("error", ["KeyboardInterrupt", "GeneratorExit"])
def test_a_command_says_in_a_sentence_that_a_loader_fell_over(tmp_path, error):
    source = LOADER.format(error=error, marker=str(tmp_path / "begun"))
    install_plugin(tmp_path, "falling_loader", source, loaders={"falling": "Loader"})
    (tmp_path / "a.run").write_text("content\n")
    process = command(tmp_path, "ingest", tmp_path / "a.run", "--data", tmp_path / "data")
    _, complaints = process.communicate(timeout=120)
    assert process.returncode == 1
    assert error in complaints
    assert "Traceback" not in complaints


@pytest.mark.slow
def test_an_interrupt_by_the_user_ends_a_command_while_a_loader_works(tmp_path):
    begun = tmp_path / "begun"
    source = LOADER.format(error="ValueError", marker=str(begun))
    install_plugin(tmp_path, "waiting_loader", source, loaders={"waiting": "Waiting"})
    (tmp_path / "a.run").write_text("content\n")
    process = command(tmp_path, "ingest", tmp_path / "a.run", "--data", tmp_path / "data")
    wait_until(lambda: begun.exists() or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=120)
    assert process.returncode == 1
    assert complaints.splitlines()[-1:] == ["Error: interrupted"]
    assert "Traceback" not in complaints
