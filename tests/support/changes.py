"""Finds percentages of change on a page that do not name their base."""

import re
from typing import Any

from tests.support.page_texts import Shown, figure_texts, page_texts

SIGNED = re.compile(
    r"(?<![\w.,×)])(?:[+−-]|–(?=\d))\s?\d[\d.,\u202f]*\s?(?:%|pp\b|(?:percentage )?points?\b)"
    r"|\b(?:rose|fell|grew|shrank)(?: by)? \d[\d.,\u202f]*\s?%"
    r"|\d\s?% (?:slower|faster|longer|shorter|higher|lower|more|less)\b"
)
"""A percentage of change, or a difference of two percentages. A range such as `1 – 5 %` is none."""
BASED = re.compile(
    r"\b(?:vs|against|than|from|base|baseline|measured)\b|→|->|\bstep\b|\bdip\b|\bdrift\b"
    r"|\bof the (?:base|step|predicted|level)|\b[AB] [−-] [AB]\b",
    re.IGNORECASE,
)
"""Words that name a base."""


def bare_changes(component: object) -> list[str]:
    """List the texts of components, as objects or as the JSON of a page, that have a signed
    percentage without its base.

    The base is in the same sentence or cell, in the heading of its column, or in a tooltip of one
    of these; in a figure in the same text or in the title of an axis.
    """
    return [shown.text for shown in page_texts(component) if is_bare_change(shown)]


def bare_in_figure(figure: Any) -> list[str]:
    """List the texts of a figure that have a signed percentage without its base."""
    return [shown.text for shown in figure_texts(figure) if is_bare_change(shown)]


def is_bare_change(shown: Shown) -> bool:
    """Whether a text has a signed percentage, and neither text nor headings name its base."""
    return bool(SIGNED.search(shown.text)) and not BASED.search(f"{shown.text} {shown.headings}")
