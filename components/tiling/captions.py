"""Captions of the views of tilings."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.tiling.array_gemm import ArrayTiling
from analysis.tiling.deeploy.choices import Choice, Tiled
from components.counts import part_text
from components.numbers import count_text, integer, percent, shorten, significant, size
from components.tiling.words import tile_text
from schema.plurals import plural

_MAX_NAME_CHARACTERS = 40


def operators_caption(tiled: Sequence[Tiled]) -> str:
    """Return the caption of the operators: how many are cut into more than one tile, and which
    fills its memory level most, if any capacity is known.
    """
    cut = [operator for operator in tiled if (operator.own.tiles or 1) > 1]
    unknown = sum(operator.own.tiles is None for operator in tiled)
    sentence = _cut_words(len(cut), unknown, tiled)
    full = None if not tiled else tiled[fullest(tiled)]
    if full is None or full.share is None:
        return f"{sentence}."
    name = shorten(full.operator.name, _MAX_NAME_CHARACTERS)
    alike = sum(operator.share == full.share for operator in tiled) - 1
    others = f" and {count_text(alike, 'other')} fill" if alike else " fills"
    share = f"{percent(full.share)} of its {size(full.operator.capacity)}"
    each = ", each" if alike else ","
    return f"{sentence}; {name}{others} {full.operator.level} most{each} {share}."


def fullest(tiled: Sequence[Tiled]) -> int:
    """Return the rank of the operator that fills its memory level most.

    Among equally full operators, known choices have priority, then the number of moved bytes.
    """
    fills = [
        (operator.share or 0.0, operator.model is not None, operator.own.moved_bytes or 0)
        for operator in tiled
    ]
    return max(range(len(fills)), key=fills.__getitem__)


def _cut_words(cut: int, unknown: int, tiled: Sequence[Tiled]) -> str:
    """Write how many operators are cut into more than one tile, without the full stop.

    For `unknown` of them the number of tiles is unknown. An operator that is cut at several levels
    has a tiling at each of them, so that tilings are counted.
    """
    count = len(tiled)
    known = count - unknown
    if not known:
        subject = (
            "the operator at its level is"
            if count == 1
            else f"the {count_text(count, 'operator')} at their levels are"
        )
        return f"Into how many tiles {subject} cut is not known"
    levels = len({operator.operator.level for operator in tiled})
    operators = len({(operator.operator.step, operator.operator.name) for operator in tiled})
    noun = "operator" if operators == count else "tiling"
    of = (
        ""
        if noun == "operator"
        else f" of {count_text(operators, 'operator')} at {plural(levels, 'level')}"
    )
    more = f"; the tiles of {integer(unknown)} more are not known" if unknown else ""
    return f"Cut into more than one tile: {part_text(cut, known, noun)}{of}{more}"


def choices_caption(tiled: Tiled, choices: Sequence[Choice], tried: int | None) -> str:
    """Return the caption of the choices: bytes that the tool's choice holds and moves, and the best
    choice that fits.

    `tried` is a capacity in bytes that the user tries; if it is None, the run's own capacity
    counts. Without a model or a capacity, only the first part.
    """
    own = tiled.own
    level = tiled.operator.level
    sentence = (
        f"{shorten(tiled.operator.name, _MAX_NAME_CHARACTERS)} holds {size(own.bytes)} of {level}"
    )
    if tiled.model is None:
        return f"{sentence}; other choices are known of matrix products and convolutions only."
    if own.moved_bytes is not None:
        tiles = f" in {count_text(own.tiles, 'tile')}" if own.tiles else ""
        sentence = f"{sentence} and moves {size(own.moved_bytes)}{tiles}"
    capacity = tiled.operator.capacity if tried is None else tried
    if capacity is None:
        return f"{sentence}."
    return f"{sentence}. {_best_choice_words(tiled, choices, capacity)} {_gained_words(tiled, choices, tried)}".strip()


def least_moved(tiled: Tiled, choices: Sequence[Choice], capacity: int) -> Choice | None:
    """Find the choice that fits into `capacity` bytes, with the constants, and moves the fewest
    bytes.

    Of equal choices it is the choice with the fewest tiles. Returns None if no choice fits.
    """
    fitting = [
        choice
        for choice in choices
        # Constants are below the arena, and take a part of the capacity.
        if choice.moved_bytes is not None and choice.bytes + tiled.operator.static <= capacity
    ]
    return min(
        fitting,
        key=lambda choice: (choice.moved_bytes or 0, choice.tiles or 0, choice.bytes),
        default=None,
    )


def _best_choice_words(tiled: Tiled, choices: Sequence[Choice], capacity: int) -> str:
    """Write which choice that fits into `capacity` bytes moves the fewest bytes, and how much less
    than the tool's choice, as a sentence; if there is no such choice, it states that.
    """
    best = least_moved(tiled, choices, capacity)
    if best is None or best.moved_bytes is None:
        return f"No choice fits into {size(capacity)}."
    own_fits = tiled.own.bytes + tiled.operator.static <= capacity
    if tiled.own.moved_bytes is not None and best.moved_bytes >= tiled.own.moved_bytes and own_fits:
        return f"No choice that fits into {size(capacity)} moves less data."
    saved = (tiled.own.moved_bytes or 0) - best.moved_bytes
    less = f", {size(saved)} less" if saved > 0 else ""
    return f"Within {size(capacity)} {tile_text(best.tile)} moves {size(best.moved_bytes)}{less}."


def _gained_words(tiled: Tiled, choices: Sequence[Choice], tried: int | None) -> str:
    """Write how many more or fewer choices fit into the tried capacity, as a sentence.

    Returns "" if the user does not try another capacity, or if the run's is unknown.
    """
    capacity = tiled.operator.capacity
    static = tiled.operator.static
    if tried is None or capacity is None or tried == capacity:
        return ""
    low, high = sorted((tried, capacity))
    between = sum(low < choice.bytes + static <= high for choice in choices)
    run = f"the run's {size(capacity)}"
    fits = "fits" if between == 1 else "fit"
    if tried > capacity:
        count = count_text(between, "more choice") if between else "No more choices"
        return f"{count} {fits} than into {run}."
    if not between:
        return f"Every choice that fits into {run} still fits."
    are = "is" if between == 1 else "are"
    return f"{count_text(between, 'choice')} that {fits} into {run} {are} too large."


def buffers_caption(stored: Tiled, tried: Tiled, capacity: int | None) -> str:
    """Return the caption of the buffers: bytes that the operator holds (`stored`) and would hold as
    the user tries it, and whether they fit.

    `capacity` is a capacity in bytes that the user tries; if it is None, the run's own capacity
    counts.
    """
    level = stored.operator.level
    room = stored.operator.capacity if capacity is None else capacity
    name = shorten(stored.operator.name, _MAX_NAME_CHARACTERS)
    before = stored.own.bytes
    after = tried.own.bytes
    # The same object: the user has not changed a buffer.
    if tried is stored:
        return f"{name} holds {size(before)} in {level}."
    sentence = f"{name} would hold {size(after)} in {level} in place of {size(before)}"
    if room is None:
        return f"{sentence}."
    over = after + tried.operator.static + tried.operator.added_static - room
    return f"{sentence}: {f'{size(over)} more than fit' if over > 0 else 'it fits'}."


def array_caption(tiling: ArrayTiling, local: int) -> str:
    """Return the caption of a GEMM on an array: bytes that its tile holds and moves, and the tile
    that fits and moves the fewest bytes.

    `local` is the size of a core's memory in bytes. If no tile fits or moves less, it states that.
    """
    own = tiling.own
    sentence = (
        f"{_mkn(own)}: {size(own.core_bytes)} of a core's {size(local)}, {size(own.moved_bytes)} from and to DDR, "
        f"{significant(own.intensity)} operations per byte"
    )
    fitting = [tile for tile in tiling.choices if tile.fits]
    best = min(fitting, key=lambda tile: (tile.moved_bytes, tile.core_bytes), default=None)
    if best is None:
        return f"{sentence}. No tile fits."
    if best.moved_bytes >= own.moved_bytes and own.fits:
        return f"{sentence}. No tile that fits moves less data."
    return f"{sentence}. {_mkn(best)} moves least of those that fit: {size(best.moved_bytes)}."


def _mkn(tile: object) -> str:
    return " × ".join(integer(getattr(tile, name)) for name in ("m", "k", "n"))
