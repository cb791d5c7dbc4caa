"""Attributes for screen readers, which Dash's components take only as keyword wildcards."""

from __future__ import annotations

from typing import Any


def aria(**attributes: str) -> dict[str, Any]:
    """Return keyword arguments for an html component: `aria(label="Keys")` is `aria-label="Keys"`."""
    return {f"aria-{name}": value for name, value in attributes.items()}
