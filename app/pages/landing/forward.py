"""Forward saved addresses of the list of runs, which once was at `/`."""

from __future__ import annotations

from urllib.parse import parse_qsl

from app.pages.runs.state import RunsState
from app.views.address.fields import declared_params
from components.runs.list_address import list_address

_FILTERS = frozenset(param.name for param in declared_params(RunsState))
"""Names of the parameters of the list."""


def forward_address(query: str) -> str:
    """Return the address of the list of runs if a query string has a parameter of it; "" if the
    query is one of the landing page.
    """
    names = {name for name, _ in parse_qsl(query, keep_blank_values=True)}
    return list_address(query) if names & _FILTERS else ""
