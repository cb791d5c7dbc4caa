"""A tool: one record with its name, what it is for, what it takes, and what answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from app.context import AppContext
from storage.run_query import RunFilter, search_words
from storage.text import is_plain

Record = dict[str, Any]


class ToolError(Exception):
    """A question that has no answer; the message is one sentence for who asked."""


def _one_or_several(value: object) -> object:
    return value if isinstance(value, list) or value is None else [value]


Texts = Annotated[list[Annotated[str, Field(max_length=500)]], BeforeValidator(_one_or_several)]
Sizes = Annotated[list[int | str], BeforeValidator(_one_or_several)]
Run = Annotated[str, Field(max_length=500, description="Id or its beginning.")]


class Asked(BaseModel):
    """What a tool takes; a member that is not named is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class AskedPage(Asked):
    """What a tool takes whose answer may go on."""

    cursor: str | None = Field(None, max_length=500, description="`next` of the answer before.")


class Filters(Asked):
    """What chooses runs."""

    source: Texts = []
    hwid: Texts = []
    M: Sizes = []
    K: Sizes = []
    N: Sizes = []
    tag: Texts = []

    def chosen(self) -> dict[str, tuple[str, ...]]:
        """Return filter -> the values that are wanted, of those that are given."""
        every = {name: getattr(self, name) for name in Filters.model_fields}
        return {name: tuple(map(str, values)) for name, values in every.items() if values}

    def fits(self, text: str = "") -> RunFilter:
        """Return which runs fit, all words of `text` too."""
        return RunFilter(**self.chosen(), words=search_words(text))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Found:
    """What a tool found: a sentence, the path of the page that shows it, and data.

    `items` are what may be cut: `data` makes the data of some of them. `rest` is where a cursor after those that
    are given leads, by how many are; `offset` is the place of the first.
    """

    answer: str
    path: str
    data: Callable[[Sequence[Any]], Record]
    items: Sequence[Any] = ()
    offset: int = 0
    after: Callable[[int], str | None] | None = None


@dataclass(frozen=True)
class Tool:
    """A tool; `find` is called with the context and the arguments.

    A tool that `computes` reads frames and may take long; one that `is_query` waits for the process of a query in SQL.
    """

    name: str
    description: str
    takes: type[Asked]
    find: Callable[[AppContext, Any], Found]
    computes: bool = True
    is_query: bool = False

    def describe(self) -> Record:
        """Return the tool as the protocol lists it."""
        notes = {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False}
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": _schema(self.takes),
            "annotations": notes,
        }

    def read(self, arguments: object) -> Asked:
        """Return what was asked; raises ToolError."""
        try:
            asked = self.takes.model_validate(arguments)
        except ValidationError as error:
            raise ToolError(_sentence(self.name, error)) from error
        if not is_plain(repr(arguments)) or any("\0" in text for text in _texts(arguments)):
            raise ToolError("an argument contains a character that text may not have")
        return asked


def _texts(given: object) -> list[str]:
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping):
        given = [*given.values()]
    return [text for one in given for text in _texts(one)] if isinstance(given, list) else []


def _schema(model: type[Asked]) -> Record:
    """Return the JSON Schema of what a tool takes, short: assistants read it before every question."""
    full = model.model_json_schema()
    properties = {name: _short(one) for name, one in full["properties"].items()}
    needed = {"required": full["required"]} if "required" in full else {}
    return {"type": "object", "properties": properties, **needed, "additionalProperties": False}


def _short(given: Record) -> Record:
    """Return a property without what says nothing: titles, defaults, null beside what it may be."""
    options = [one for one in given.get("anyOf", [given]) if one.get("type") != "null"]
    kept = ("type", "enum", "minimum", "maximum")
    short = {name: options[0][name] for name in kept if name in options[0]}
    if "items" in options[0]:
        inner = options[0]["items"]
        short["items"] = {"type": inner.get("anyOf", [inner])[0]["type"]}
    return short | ({"description": given["description"]} if "description" in given else {})


def _sentence(tool: str, error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])[:100]
    if first["type"] == "extra_forbidden":
        return f"{tool} takes no argument {place!r}"
    if first["type"] == "missing":
        return f"{tool} needs the argument {place!r}"
    return f"{place}: {first['msg'].removeprefix('Value error, ')}" if place else f"{tool}: {first['msg']}"
