"""Numbers by which tinygrad's releases pickle operations, for the writer of captures.

They were read from the installed releases, independently of the loader's table: a writer with the
same mistakes as the loader would hide them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

OPERATION_NUMBERS: Mapping[str, tuple[int | None, int | None, int | None]] = MappingProxyType(
    {
        "DEFINE_GLOBAL": (1, None, None),
        "DEFINE_VAR": (2, 1, None),
        "BIND": (3, 2, None),
        "SPECIAL": (4, 3, 1),
        "DEFINE_REG": (6, 5, None),
        "PROGRAM": (9, 11, 8),
        "LINEAR": (10, 12, 9),
        "SOURCE": (11, 13, 10),
        "BINARY": (12, 14, 11),
        "SINK": (13, 15, 12),
        "INDEX": (18, 23, 19),
        "LOAD": (19, 24, 21),
        "STORE": (20, 25, 22),
        "WMMA": (21, 26, 23),
        "CAST": (22, 28, 24),
        "NEG": (29, 35, 31),
        "ADD": (31, 37, 33),
        "MUL": (32, 38, 34),
        "SHL": (33, 39, 35),
        "SHR": (34, 40, 36),
        "IDIV": (35, None, None),
        "MAX": (36, 42, 38),
        "MOD": (37, None, None),
        "CMPLT": (38, 44, 40),
        "CMPNE": (39, 45, 41),
        "CMPEQ": (40, 46, 42),
        "XOR": (41, 47, 43),
        "OR": (42, 48, 44),
        "AND": (43, 49, 45),
        "SUB": (45, 51, 47),
        "POW": (47, 53, 49),
        "WHERE": (48, 56, 52),
        "MULACC": (49, 57, 53),
        "RANGE": (51, 59, 55),
        "IF": (52, 60, 56),
        "END": (53, 61, 57),
        "CONST": (56, 64, 59),
        "UNIQUE": (59, 68, None),
        "DEVICE": (60, 69, None),
        "PARAM": (None, 8, 5),
        "CDIV": (None, 41, 37),
        "CMOD": (None, 43, 39),
        "FLOORDIV": (None, 54, 50),
        "FLOORMOD": (None, 55, 51),
    }
)
"""Name of an operation -> its number in each of RELEASES, None if the release does not have it."""
RELEASES = ("0.12", "0.13", "0.14")


def operation_number(name: str, release: str) -> int:
    """Return the number by which a release pickles an operation.

    Raises ValueError if it has none.
    """
    number = OPERATION_NUMBERS[name][RELEASES.index(release)]
    if number is None:
        raise ValueError(f"tinygrad {release} has no operation {name}")
    return number
