"""Commands by name, each imported when it is used: a command does not wait for the other modules."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from importlib import import_module

import click


class Commands(MutableMapping[str, click.Command]):
    """The commands of a group in their order.

    `places` names the function of each command as `MODULE:FUNCTION`, MODULE below `app.cli`.
    """

    def __init__(self, places: Sequence[str]) -> None:
        self._places = {_command_name(place): place for place in places}
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded:
            module, _, function = self._places[name].partition(":")
            self._loaded[name] = getattr(import_module(f"app.cli.{module}"), function)
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._places[name] = ""
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._places[name]
        self._loaded.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _command_name(place: str) -> str:
    return place.rpartition(":")[2].replace("_", "-")
