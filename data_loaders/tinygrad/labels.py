"""How the intervals of a capture are called, once the contexts of rewrites.pkl are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from data_loaders.tinygrad.capture import Capture
from data_loaders.tinygrad.contexts import Rewrites
from data_loaders.tinygrad.names import without_folders

NO_CONTEXT = -1


@dataclass(frozen=True)
class Labels:
    """Name, colours included, and context of each label of a capture."""

    names: list[str]
    contexts: list[int]


def resolve(capture: Capture, rewrites: Rewrites | None, strip: bool) -> Labels:
    """Return the names as tinygrad's viewer shows them: that of the context which a kernel's name or key leads to.

    `strip` leaves out the folders of files.
    """
    places: Mapping[str | bytes, int] = rewrites.by_key() if rewrites else {}
    names, contexts = [], []
    for label in capture.labels:
        context = next((places[key] for key in label.keys if key in places), NO_CONTEXT)
        renamed = rewrites is not None and label.renamed and context != NO_CONTEXT
        name = rewrites.contexts[context].name if rewrites is not None and renamed else label.text
        names.append(without_folders(name) if strip else name)
        contexts.append(context)
    return Labels(names, contexts)
