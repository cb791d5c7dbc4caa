"""Card with all facts about a memory block: size, address, lifetime, neighbours and users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.memory.alive import height_setters, neighbours, users
from analysis.memory.attempt_map import AttemptMap
from components.memory.block_words import Life, bank_words, both, exact, marks, text
from components.numbers import DASH, address, count_text, integer, missing, shorten

_NAME, _WORD = 120, 44
_MAX_NEIGHBOURS, _MAX_USERS, _MAX_CALLS = 16, 24, 16
ACCESS_WORDS = {"w": "writes it", "r": "reads it", "rw": "reads and writes it"}
"""Access of a user to a block (r, w or rw) -> words for it."""
_MARKS = {
    "failed": "failed: it did not fit",
    "unplaced": "not placed",
    "held": "held over all loop iterations",
    "wraps": "wraps around the loop",
    "inner": "in the arena of its one step",
    "height": "sets the extent",
}


def block_card(
    amap: AttemptMap, row: int, why: Sequence[Component] = (), calls: Sequence[str] = ()
) -> html.Div:
    """Lay out the facts about the block at position `row` (from 0) of the map's blocks as a card.

    `why` are components about the blocks that keep it from a place, or surround it. `calls` is the
    call stack of its allocation, outermost call first. Each neighbour is a button with the id
    `{"type": "block-link", "block": rank}`.
    """
    block = amap.blocks.iloc[row]
    facts = [
        part for label, value in _facts(amap, block) for part in (html.Dt(label), html.Dd(value))
    ]
    return html.Div(
        [
            html.H3(
                [html.Bdi(block_name(block, _NAME)), *_flags(block, row in height_setters(amap))]
            ),
            html.Dl(facts, className="ts-facts"),
            *_list_calls(calls),
            *([html.Div([*why], className="ts-obstacles")] if why else []),
            *_beside(amap, row),
            *_list_uses(amap, row),
        ],
        className="ts-block-card",
    )


def block_name(block: pd.Series, limit: int) -> str:
    """Return the block's name with its middle cut if it has more than `limit` characters; `block
    RANK` if it has no name.
    """
    return shorten(str(block["name"]) or f"block {block['block']}", limit)


def _flags(block: pd.Series, sets_height: bool) -> list[Component]:
    """Build a span of a few words for each special property of the block; empty if it has none.

    `sets_height` is whether the block ends at the extent of its map.
    """
    special = [
        *(mark for mark in marks(block) if mark in _MARKS),
        *(["height"] if sets_height else []),
    ]
    return [
        html.Span(_MARKS[mark], className="ts-flag ts-trouble" if mark == "failed" else "ts-flag")
        for mark in special
    ]


def _facts(amap: AttemptMap, block: pd.Series) -> Iterator[tuple[str, str | list[Component | str]]]:
    """Yield (label, value) of each known fact about the block, size and address first."""
    length = int(block["size"])
    yield "size", both(length)
    yield "address", _address(block, length)
    if not pd.isna(block["address"]) and block["kind"] != "constant":
        low = int(block["address"])
        banks = bank_words(low, low + length, amap.whole("bank_bytes"))
        if banks:
            yield "lies in", banks
    yield "steps", _steps(block)
    yield from _names_in_file(amap, block)
    if not pd.isna(block["tensor_bytes"]) or block["shape"]:
        yield "tensor", _tensor(block, length)
    if not pd.isna(block["alignment"]):
        yield "alignment", _alignment(block)
    if not pd.isna(block["hint"]):
        yield "hint", _place(int(block["hint"]))
    if block["gaps"]:
        yield "not alive", shorten(str(block["gaps"]), _NAME)


def _names_in_file(amap: AttemptMap, block: pd.Series) -> Iterator[tuple[str, str]]:
    """Yield (label, value) of the input file's words for the block, such as kind and role; unknown
    words are left out.
    """
    for name in ("kind", "role", "op_type", "dtype", "plan", "mode", "level"):
        if text(block[name]) != DASH:
            yield name.replace("_", " "), shorten(str(block[name]), _WORD)
    if text(block.get("origin")) != DASH:
        yield "from", shorten(str(block["origin"]), _WORD)
    if not missing(block.get("device_address")):
        # Addresses from 2^63 on are stored minus 2^64, because the column is a signed int64.
        yield "on the device", address(int(block["device_address"]) % 2**64)
    if not pd.isna(block["alias_of"]):
        yield "storage of", _name_by_rank(amap, int(block["alias_of"]))
    elif block["status"] == "shared":
        yield "storage of", "another block"


def _list_calls(calls: Sequence[str]) -> list[Component]:
    """List the call stack of the allocation below a heading, innermost call first, at most the
    innermost 16 calls.

    `calls` begins with the outermost call. Empty without calls.
    """
    if not calls:
        return []
    items = [
        html.Li(html.Bdi(shorten(call, _NAME)), className="ts-mono")
        for call in reversed(calls[-_MAX_CALLS:])
    ]
    return [html.H4("Asked for by"), html.Ul([*items, *rest(len(calls) - len(items), "call")])]


def _name_by_rank(amap: AttemptMap, rank: int) -> str:
    block = amap.blocks[amap.blocks["block"] == rank]
    return block_name(block.iloc[0], _NAME) if len(block) else f"block {rank}"


def _address(block: pd.Series, length: int) -> str | list[Component | str]:
    if pd.isna(block["address"]):
        return "none: it did not fit" if block["status"] == "failed" else "none yet"
    low = int(block["address"])
    decimal = html.Span(f"{integer(low)} – {integer(low + length)}", className="ts-muted")
    band = " in the constants" if block["kind"] == "constant" else ""
    return [f"0x{low:x} – 0x{low + length:x}{band} ", decimal]


def _place(address: int) -> str:
    return f"0x{address:x} ({integer(address)})"


def _steps(block: pd.Series) -> str:
    life = Life.of(block)
    if life.always or life.inner:
        return life.steps
    lasts = "" if life.wraps else f" ({count_text(life.end - life.start, 'step')})"
    return f"{life.steps}{lasts}"


def _tensor(block: pd.Series, length: int) -> str:
    shape = shorten(str(block["shape"]), _WORD)
    if pd.isna(block["tensor_bytes"]):
        return shape
    tensor_bytes = int(block["tensor_bytes"])
    more = f", the block has {exact(length - tensor_bytes)} more" if length > tensor_bytes else ""
    less = f", the block has {exact(tensor_bytes - length)} less" if length < tensor_bytes else ""
    return f"{shape}{' = ' if shape else ''}{exact(tensor_bytes)}{more or less}"


def _alignment(block: pd.Series) -> str | list[Component | str]:
    alignment = int(block["alignment"])
    if pd.isna(block["address"]) or alignment <= 0 or int(block["address"]) % alignment == 0:
        return exact(alignment)
    return [f"{exact(alignment)} ", html.Span("not aligned", className="ts-trouble")]


def _beside(amap: AttemptMap, row: int) -> list[Component]:
    """List the first 16 neighbouring blocks below a heading, each with all its relations to this
    block; empty if it has no neighbours.
    """
    nearby = pd.concat([_sharing(amap, row), neighbours(amap, row)], ignore_index=True)
    if not len(nearby):
        return []
    words = [
        _relation(*pair)
        for pair in zip(nearby["relation"].astype("str"), nearby["distance"], strict=True)
    ]
    # A single item per block: the id of a component must be unique on a page.
    grouped = nearby.assign(words=words).groupby("row", sort=False)["words"].agg(", ".join)
    items = [
        _neighbour(amap, int(other), relation)
        for other, relation in grouped.head(_MAX_NEIGHBOURS).items()
    ]
    return [html.H4("Beside it"), html.Ul([*items, *rest(len(grouped) - len(items), "block")])]


def _sharing(amap: AttemptMap, row: int) -> pd.DataFrame:
    """Find the blocks that share storage with this block, a row each; no rows if there are none.

    The result has the columns of `analysis.memory.alive.neighbours`: relation (this block is in the
    storage of the other block, or the reverse), row, and distance, which is null.
    """
    block = amap.blocks.iloc[row]["block"]
    target = amap.blocks.iloc[row]["alias_of"]
    owners = np.flatnonzero(
        amap.blocks["block"].to_numpy() == (-1 if pd.isna(target) else int(target))
    )
    guests = np.flatnonzero((amap.blocks["alias_of"] == block).fillna(False).to_numpy(bool))
    relations = ["it lies in its storage"] * len(owners) + ["lies in its storage"] * len(guests)
    rows = np.concatenate([owners, guests]).astype(np.int64)
    return pd.DataFrame(
        {
            "relation": relations,
            "row": rows,
            "distance": pd.array([pd.NA] * len(rows), dtype="Int64"),
        }
    )


def _relation(relation: str, distance: int) -> str:
    """Format a relation with its distance in bytes or steps: `64 B above`, `right above` or `2
    steps before`; only the relation if the distance is null.
    """
    if pd.isna(distance) or relation == "same address":
        return relation
    if int(distance) == 0:
        return f"right {relation}"
    apart = (
        exact(int(distance))
        if relation in ("above", "below")
        else count_text(int(distance), "step")
    )
    return f"{apart} {relation}"


def _neighbour(amap: AttemptMap, row: int, relation: str) -> html.Li:
    block = amap.blocks.iloc[row]
    link = html.Button(
        html.Bdi(block_name(block, _WORD)),
        id={"type": "block-link", "block": int(block["block"])},
        className="ts-link",
        title=f"{exact(int(block['size']))}, steps {Life.of(block).steps}",
    )
    return html.Li([link, html.Span(f" {relation}", className="ts-muted")])


def _list_uses(amap: AttemptMap, row: int) -> list[Component]:
    """List the operations that write or read the block by step below a heading, at most 24; empty
    if no operation uses it.
    """
    uses = users(amap, row)
    if not len(uses):
        return []
    items = [_user(use) for use in uses.head(_MAX_USERS).itertuples(index=False)]
    return [html.H4("Used by"), html.Ul([*items, *rest(len(uses) - len(items), "use")])]


def _user(use: object) -> html.Li:
    step, name, kind, access = (
        getattr(use, field) for field in ("step", "name", "op_type", "access")
    )
    verb = ACCESS_WORDS.get(str(access), "uses it")
    shown = html.Bdi(shorten(str(name), _WORD)) if text(name) != DASH else ""
    typed = (
        f" ({shorten(str(kind), _WORD)})" if text(kind) != DASH and str(kind) != str(name) else ""
    )
    return html.Li(
        [f"step {integer(int(step))}: ", shown, typed, html.Span(f" {verb}", className="ts-muted")]
    )


def rest(left: int, noun: str) -> list[Component]:
    """Build the last item of a list, "and N more NOUNS" for `left` items that were left out; empty
    if `left` is 0 or less.
    """
    return (
        [html.Li(f"and {count_text(left, f'more {noun}')}", className="ts-muted")]
        if left > 0
        else []
    )
