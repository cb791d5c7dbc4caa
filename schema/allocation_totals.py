"""Frame of the totals of a compiled module's allocations."""

from __future__ import annotations

from schema.spec import LOADED, FrameSpec, columns

ALLOCATION_KINDS = ("preallocated_temp", "parameter", "output", "constant", "thread_local")
"""Kinds of allocations in the order of display."""

ALLOCATION_TOTALS = FrameSpec(
    "allocation_totals",
    "the allocations of one kind in one memory space of a compiled module; or the total in its file",
    LOADED,
    columns(
        "kind | category(parameter constant thread_local preallocated_temp output)? | | what the allocations hold; "
        "null: the total in the file",
        "memory | Int64 | | number (color) of the memory space, 0 if the file names none; null: all of them",
        "allocations | Int64 | | number of allocations; null: not known",
        "bytes | int64 | bytes | their size",
        "reported | bool | | True: the total as the compiler states it, False: summed from the allocations",
    ),
    tabled=False,
)
