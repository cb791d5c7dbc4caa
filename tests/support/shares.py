"""Percentages that a page shows as parts of a whole, and whether each names the whole."""

import re
from collections.abc import Iterable

from tests.support.changes import SIGNED
from tests.support.page_texts import Shown

SHARE = re.compile(r"(?<![\w.,])\d[\d.,\u202f]*\s?%(?!\s(?:interval|quantile|mark))|:\.\d%\}")
"""A percentage, also of a hover template; the level of an interval is none."""
WHOLE = re.compile(
    r"%[^.;]*\b(?:of|above)\b"  # 37 % of the step; 3 % above the bound
    r"|\bof\b[^;]*[:(·][^;]*%"  # of 1.4 ms: 96 % compute; 3 KiB of 8 KiB (37 %)
    r"|\b(?:shares?|percent|parts?) of\b",
    re.IGNORECASE,
)
"""Words in a text that name what a percentage is part of."""
HEADING = re.compile(
    r"(?:\b(?:shares?|percent|parts?|excess)|%) of\b|^of\b|\bvs\b|\bof (?:peak|the|its|base|new|capacity|measured|traced|free)"
    r"| / |\bslower than\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Words in a heading, title of an axis or name of a row that say it for all its numbers."""
MARGIN = re.compile(
    r"(?:threshold )?\d[\d.]*\s?% vs\b|interval of \d+\s?%|limited to \d+\s?%"
    r"|\d[\d.]*\s?%(?: more)? than\b|->[^:;]*\(0 %\)"
)
"""Percentages that are no shares: thresholds of a change, levels of an interval."""


def bare_shares(texts: Iterable[Shown]) -> list[str]:
    """List the texts that have a percentage without a sign and without its whole."""
    return [shown.text for shown in texts if _is_bare(shown)]


def _is_bare(shown: Shown) -> bool:
    shares = MARGIN.sub("", SIGNED.sub("", shown.text))
    if not SHARE.search(shares) or WHOLE.search(shown.text):
        return False
    return not HEADING.search(f"{shown.headings}\n{shown.beside}")
