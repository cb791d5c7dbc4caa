"""Names of a capture's intervals, resolved with the contexts of rewrites.pkl."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from data_loaders.tinygrad.capture import Capture
from data_loaders.tinygrad.contexts import Rewrites
from data_loaders.tinygrad.kernel_keys import find_call_contexts
from data_loaders.tinygrad.names import without_folders

NO_CONTEXT = -1


@dataclass(frozen=True)
class Labels:
    """Name (with colour codes) and context of each label of a capture.

    `keyed` is True if the context was found by a key; a name may occur in several contexts.
    """

    names: list[str]
    contexts: list[int]
    keyed: list[bool]


def resolve_labels(capture: Capture, rewrites: Rewrites | None, strip: bool) -> Labels:
    """Resolve the name and context of each label, as in tinygrad's viewer.

    A renamed label gets the name of its key's context. Without a context, the name is the label's
    text and the context NO_CONTEXT (-1). If `strip`, the folders of files are removed from names.
    """
    places: Mapping[str | bytes, int] = _places(capture, rewrites) if rewrites else {}
    names: list[str] = []
    contexts: list[int] = []
    keyed: list[bool] = []
    for label in capture.labels:
        # As in tinygrad's viewer, the first key that is found counts.
        key = next((key for key in label.keys if key in places), None)
        context = NO_CONTEXT if key is None else places[key]
        renamed = rewrites is not None and label.renamed and context != NO_CONTEXT
        name = rewrites.contexts[context].name if rewrites is not None and renamed else label.text
        names.append(without_folders(name) if strip else name)
        contexts.append(context)
        keyed.append(type(key) is bytes)
    return Labels(names, contexts, keyed)


def _places(capture: Capture, rewrites: Rewrites) -> dict[str | bytes, int]:
    """Map each name or key to the rank of its context, including keys of calls of the contexts'
    programs.
    """
    places = rewrites.by_key()
    queue_keys: dict[str, list[bytes]] = {}
    for label in capture.labels:
        for key in label.keys:
            if type(key) is bytes and key not in places:
                queue_keys.setdefault(label.text, []).append(key)
    return places | find_call_contexts(rewrites, queue_keys)
