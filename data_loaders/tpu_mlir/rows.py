"""Decode the texts of result lines: kind, lifetime and settings of each buffer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from data_loaders.tpu_mlir.results import Results
from schema.array_types import Bools, Ints

_KIND = re.compile(r"(success|failed); lmem_type = ([A-Z_]+); op_type = (.*)")
_SETTINGS = re.compile(
    r"(?:TIMESTEP_)?(\w{1,60}); hold_in_lmem = ([01]); allow_bank_conflict = ([01]); one_loop = ([01])"
    r"; shape_secs = ([0-9]{1,9}(?:,[0-9]{1,9}){4})"
)
KINDS = {"LMEM_ACTIVATION": "activation", "LMEM_WEIGHT": "weight", "LMEM_OPERATION": "operation"}


@dataclass(frozen=True)
class Setting:
    """Settings of an attempt.

    `allow_bank_conflict` and `one_loop` are 0 or 1; `shape_secs` is the slicing
    `nsecs,csecs,dsecs,hsecs,wsecs`.
    """

    allow_bank_conflict: int
    one_loop: int
    shape_secs: str


@dataclass(frozen=True)
class Rows:
    """Decoded result lines in the order of the file, as arrays of one length.

    `placed` is True if a buffer has an address; `setting` is an index into `settings`.
    """

    results: Results
    placed: Bools
    kind: pd.Categorical
    op_type: pd.Categorical
    mode: pd.Categorical
    hold: Bools
    setting: Ints
    settings: tuple[Setting, ...]

    def __len__(self) -> int:
        return len(self.results)

    def names(self) -> pa.Array:
        """Return the op_name of each result line as text, in order.

        Bytes that are not UTF-8 are replaced.
        """
        return pa.array(self.distinct_names(), pa.string()).take(self.results.name.indices)

    def distinct_names(self) -> list[str]:
        """Return each op_name of the result lines once, in the order of their codes in
        `results.name`.
        """
        return _words(self.results.name)


def read_rows(results: Results) -> Rows:
    """Decode the texts of result lines.

    Lines with unknown texts are left out and counted as unreadable.
    """
    results = results.take(_sensible(results))
    # Texts repeat, so each distinct text is decoded once and spread over the lines by its rank.
    kinds = _groups(_KIND, results.kind)
    settings = _groups(_SETTINGS, results.settings)
    kind = _ranks(results.kind)
    setting = _ranks(results.settings)
    decoded = [Setting(int(conflict), int(loop), secs) for _, _, conflict, loop, secs in settings]
    of_text, distinct = pd.factorize(pd.Index(decoded))
    return Rows(
        results=results,
        placed=np.array([status == "success" for status, _, _ in kinds], np.bool_)[kind],
        kind=_categorical([KINDS.get(lmem_type, "buffer") for _, lmem_type, _ in kinds], kind),
        op_type=_categorical([op_type for _, _, op_type in kinds], kind),
        mode=_categorical([mode for mode, *_ in settings], setting),
        hold=np.array([hold == "1" for _, hold, *_ in settings], np.bool_)[setting],
        setting=of_text.astype(np.int64)[setting],
        settings=tuple(distinct),
    )


def _sensible(results: Results) -> Bools:
    """Compute a mask, shape (lines,), of the lines with known texts and, if the status is success,
    an address.
    """
    kinds = [_KIND.fullmatch(text) for text in _words(results.kind)]
    succeeded = np.array([match is not None and match[1] == "success" for match in kinds], np.bool_)
    kind_known = np.array([match is not None for match in kinds], np.bool_)
    settings_known = np.array(
        [_SETTINGS.match(text) is not None for text in _words(results.settings)], np.bool_
    )
    kind = _ranks(results.kind)
    return (
        kind_known[kind]
        & settings_known[_ranks(results.settings)]
        & (~succeeded[kind] | (results.address >= 0))
    )


def _words(texts: pa.DictionaryArray) -> list[str]:
    return [text.decode(errors="replace") for text in texts.dictionary.to_pylist()]


def _ranks(texts: pa.DictionaryArray) -> Ints:
    return np.asarray(texts.indices.to_numpy(), np.int64)


def _groups(pattern: re.Pattern[str], texts: pa.DictionaryArray) -> list[tuple[str, ...]]:
    return [match.groups() for text in _words(texts) if (match := pattern.match(text))]


def _categorical(words: Sequence[str], ranks: Ints) -> pd.Categorical:
    """Return a categorical with an item per rank, the word with that index."""
    codes, categories = pd.factorize(pd.Index(words, dtype="str"))
    return pd.Categorical.from_codes(codes[ranks], categories=categories)
