"""How the intervals of a capture are called, once the contexts of rewrites.pkl are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from data_loaders.tinygrad.capture import Capture
from data_loaders.tinygrad.contexts import Rewrites
from data_loaders.tinygrad.kernel_keys import contexts_of_calls
from data_loaders.tinygrad.names import without_folders

NO_CONTEXT = -1


@dataclass(frozen=True)
class Labels:
    """Name, colours included, and context of each label of a capture.

    `keyed`: a key led to the context, and not its name, which other contexts may have too.
    """

    names: list[str]
    contexts: list[int]
    keyed: list[bool]


def resolve(capture: Capture, rewrites: Rewrites | None, strip: bool) -> Labels:
    """Return the names as tinygrad's viewer shows them: that of the context which a kernel's name or key leads to.

    `strip` leaves out the folders of files.
    """
    places: Mapping[str | bytes, int] = _places(capture, rewrites) if rewrites else {}
    names, contexts, keyed = [], [], []
    for label in capture.labels:
        key = next((key for key in label.keys if key in places), None)
        context = NO_CONTEXT if key is None else places[key]
        renamed = rewrites is not None and label.renamed and context != NO_CONTEXT
        name = rewrites.contexts[context].name if rewrites is not None and renamed else label.text
        names.append(without_folders(name) if strip else name)
        contexts.append(context)
        keyed.append(type(key) is bytes)
    return Labels(names, contexts, keyed)


def _places(capture: Capture, rewrites: Rewrites) -> dict[str | bytes, int]:
    """Return name or key -> context, of the names and keys of contexts and of the calls of their
    programs.
    """
    places = rewrites.by_key()
    asked: dict[str, list[bytes]] = {}
    for label in capture.labels:
        for key in label.keys:
            if type(key) is bytes and key not in places:
                asked.setdefault(label.text, []).append(key)
    return places | contexts_of_calls(rewrites, asked)
