"""Attributes for screen readers, which Dash's components accept only as wildcard keyword
arguments.
"""

from __future__ import annotations

from typing import Any


def aria(**attributes: str) -> dict[str, Any]:
    """Build keyword arguments for an html component: `aria(label="Keys")` is `{"aria-label":
    "Keys"}`.
    """
    return {f"aria-{name}": value for name, value in attributes.items()}
