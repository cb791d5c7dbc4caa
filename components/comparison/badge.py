"""Badges of the status as SVG: a label and its state, as text, for pages of other sites."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from analysis.comparison.status_row import Status, StatusRow
from components.comparison.status_words import change_words
from components.comparison.trend_names import key_names, panel_name
from components.numbers import count_text, integer, shorten, tame
from components.theme import palette
from components.verdicts import look

_MAX_CHARACTERS = 80
"""Maximum number of characters of each half of a badge."""
_WIDTH, _PADDING, _HEIGHT = 6.6, 6, 20
"""Width of a character, space beside a text, and height, in pixels; `textLength` makes the text
fit, whatever the font of the reader.
"""
_BADGE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" '
    'aria-label="{title}"><title>{title}</title>'
    '<rect width="{width}" height="{height}" rx="3" fill="#444"/>'
    '<path d="M{split} 0h{rest}a3 3 0 0 1 3 3v{inner}a3 3 0 0 1 -3 3h-{rest}z" fill="{colour}"/>'
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
    '<text x="{padding}" y="14" textLength="{label_length}">{label}:</text>'
    '<text x="{state_x}" y="14" textLength="{state_length}">{state}</text></g></svg>\n'
)


def rule_badge(status: Status) -> str:
    """Draw the badge of a rule: the number of open regressions, those that nobody has acknowledged,
    and of comparisons that are not made yet.
    """
    count = sum(row.is_news for row in status.rows)
    pending = f", {count_text(status.missing, 'comparison')} to go" if status.missing else ""
    tone = "trouble" if count else "caution" if status.missing else "good"
    return badge(status.rule, f"{integer(count)} regressed{pending}", tone)


def key_badge(row: StatusRow, rows: Sequence[StatusRow]) -> str:
    """Draw the badge of a key of a status with these rows: verdict and change."""
    state = " ".join(filter(None, (row.verdict, change_words(row))))
    tone = "good" if row.verdict == "unchanged" else look(row.verdict)
    return badge(badge_name(row, rows), state, tone)


def badge_name(row: StatusRow, rows: Sequence[StatusRow]) -> str:
    """Return the short name of a key, `npu2 256x64x128`; its full name if other rows share that."""
    short = panel_name(row.key)
    if sum(panel_name(other.key) == short for other in rows) > 1:
        names = key_names([other.key for other in rows])
        short = names[[other.key for other in rows].index(row.key)]
    return short.replace(" · ", " ").replace("×", "x")


def badge(label: str, state: str, tone: str) -> str:
    """Draw a badge as the text of an SVG file; `tone` is the role of its colour in the palette."""
    left = shorten(tame(label), _MAX_CHARACTERS)
    right = shorten(tame(state), _MAX_CHARACTERS)
    label_length = _WIDTH * (len(left) + 1)
    state_length = _WIDTH * len(right)
    split = label_length + 2 * _PADDING
    width = split + state_length + 2 * _PADDING
    return _BADGE.format(
        title=_escape(f"{left}: {right}"),
        label=_escape(left),
        state=_escape(right),
        colour=getattr(palette("light"), tone),
        width=f"{width:.1f}",
        height=_HEIGHT,
        padding=_PADDING,
        split=f"{split:.1f}",
        rest=f"{width - split - 3:.1f}",
        inner=_HEIGHT - 6,
        state_x=f"{split + _PADDING:.1f}",
        label_length=f"{label_length:.1f}",
        state_length=f"{state_length:.1f}",
    )


def _escape(text: str) -> str:
    return escape(text, {'"': "&quot;"})
