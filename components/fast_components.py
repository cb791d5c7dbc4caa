"""Cheaper creation and JSON of Dash's components, with the same results.

A page has some hundred components. For each property of each of them, Dash formats the begin of an
error message that is hardly ever needed, and its JSON looks for every property that the component
could have.
"""

from __future__ import annotations

from typing import Any

from dash.development.base_component import Component

_CHECKED_INIT = Component.__init__
"""Dash's own function, which raises the errors."""
_CHILDREN = "children"


def speed_up_components() -> None:
    """Replace two functions of Dash's base class of components in this process."""
    Component.__init__ = _init  # type: ignore[method-assign]
    Component.to_plotly_json = _to_plotly_json  # type: ignore[method-assign]


def _init(self: Component, **properties: Any) -> None:  # noqa: ANN401 - properties have any type
    """Set the properties of a component; Dash's own function does so if it could reject one."""
    names = self._prop_names
    wildcards = tuple(self._valid_wildcard_attributes)
    for name, value in properties.items():
        is_known = name in names or name.startswith(wildcards)
        is_plain = isinstance(value, str) if name == "id" else not isinstance(value, Component)
        if not is_known or not (is_plain or name == _CHILDREN):
            _CHECKED_INIT(self, **properties)  # type: ignore[no-untyped-call]
            return
    self._validate_deprecation()
    self.__dict__.update(properties)


def _to_plotly_json(self: Component) -> dict[str, Any]:
    """Return type, namespace and properties of a component: named properties in Dash's order, then
    `data-` and `aria-` in the order in which they were set.
    """
    values = self.__dict__
    properties = {name: values[name] for name in self._prop_names if name in values}
    wildcards = tuple(self._valid_wildcard_attributes)
    properties |= {name: values[name] for name in values if name.startswith(wildcards)}
    return {"props": properties, "type": self._type, "namespace": self._namespace}
