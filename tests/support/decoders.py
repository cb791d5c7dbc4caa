"""Stand-ins for the decoders of tinygrad's captures."""

import builtins

from data_loaders.reading.isolated import KilledError
from data_loaders.tinygrad import decoding


def replace_decoder(monkeypatch, answers, ending=""):
    """Let the process of a decoder return these results; if `ending` is set, it is killed."""

    def ended(*_):
        if ending:
            raise KilledError(ending)

    monkeypatch.setattr(decoding, "run_isolated", ended)
    monkeypatch.setattr(decoding, "read_results", lambda _: answers)


def hide_decoder(monkeypatch):
    """Let every import of tinygrad fail."""
    real_import = builtins.__import__

    def import_others(name, *rest):
        if name.startswith("tinygrad"):
            raise ImportError(name)
        return real_import(name, *rest)

    monkeypatch.setattr(builtins, "__import__", import_others)
