"""Record of a tool: name, description, arguments, and the function that computes its result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from app.context import AppContext
from storage.run_query import RunFilter, search_words
from storage.text import is_plain

Record = dict[str, Any]


class ToolError(Exception):
    """A request that a tool cannot fulfil; the message is one sentence for the client."""


@contextmanager
def tool_errors() -> Iterator[None]:
    """Turn a ValueError of the block, whose message is a sentence for users, into a ToolError."""
    try:
        yield
    except ValueError as error:
        raise ToolError(str(error)) from error


def _one_or_several(value: object) -> object:
    return value if isinstance(value, list) or value is None else [value]


Texts = Annotated[list[Annotated[str, Field(max_length=500)]], BeforeValidator(_one_or_several)]
Sizes = Annotated[list[int | str], BeforeValidator(_one_or_several)]
Run = Annotated[str, Field(max_length=500, description="Id or its beginning.")]


class Arguments(BaseModel):
    """Arguments of a tool; unknown arguments are rejected."""

    model_config = ConfigDict(extra="forbid", strict=True)


class PageArguments(Arguments):
    """Arguments of a tool whose result may continue on a further page."""

    cursor: str | None = Field(None, max_length=500, description="From `next`.")


class AnalyseArguments(PageArguments):
    """Arguments of the tool `analyse` that some kinds of analysis have, in addition to the run."""

    attempt: Annotated[int, Field(ge=0)] | None = Field(None, description="For why, peak.")
    block: Annotated[int, Field(ge=0)] | None = Field(None, description="For why.")
    level: Annotated[str, Field(max_length=200)] | None = Field(
        None, description="For plan: such as L1."
    )
    steps: Annotated[str, Field(max_length=200)] = Field(
        "", description="For breakdown, steps: annotations whose names begin so."
    )
    limit: Annotated[int, Field(ge=1, le=10_000)] = Field(100, description="For ops, ranks.")
    part: Literal["stalls", "tiles", "buffers", "locks", "dma", "flows", "host", "objectfifos"] = (
        Field("stalls", description="For design.")
    )


class Filters(Arguments):
    """Arguments that select runs."""

    source: Texts = []
    hwid: Texts = []
    M: Sizes = []
    K: Sizes = []
    N: Sizes = []
    tag: Texts = []

    def chosen(self) -> dict[str, tuple[str, ...]]:
        """Map each filter to its selected values as texts; filters without values are left out."""
        every = {name: getattr(self, name) for name in Filters.model_fields}
        return {name: tuple(map(str, values)) for name, values in every.items() if values}

    def fits(self, text: str = "") -> RunFilter:
        """Build the filter of runs from the arguments; runs must also match all words of `text`."""
        return RunFilter(**self.chosen(), words=search_words(text))  # type: ignore[arg-type]


@dataclass(frozen=True)
class ToolResult:
    """Result of a tool: a sentence, the path of the page that shows it, and data.

    `items` may be cut: `data` builds the data from some of them. `offset` is the position of the
    first item. `after` builds the cursor that follows the first n items; None for a cursor with a
    position.
    """

    sentence: str
    path: str
    data: Callable[[Sequence[Any]], Record]
    items: Sequence[Any] = ()
    offset: int = 0
    after: Callable[[int], str | None] | None = None


@dataclass(frozen=True)
class Tool:
    """A tool; `find` computes its result from the application and the arguments (`takes`).

    A tool that `computes` reads frames and may take long; a tool that `is_query` waits for the
    process of an SQL query.
    """

    name: str
    description: str
    takes: type[Arguments]
    find: Callable[[AppContext, Any], ToolResult]
    computes: bool = True
    is_query: bool = False

    def describe(self) -> Record:
        """Return the tool in the form of the protocol: name, description, inputSchema, annotations
        (read-only).
        """
        # The protocol ignores `destructiveHint` of tools that only read, and the list of tools is
        # bounded.
        notes = {"readOnlyHint": True, "openWorldHint": False}
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": _schema(self.takes),
            "annotations": notes,
        }

    def read(self, arguments: object) -> Arguments:
        """Validate arguments and return them as the model of the tool; raises ToolError if they are
        invalid.
        """
        try:
            valid = self.takes.model_validate(arguments)
        except ValidationError as error:
            raise ToolError(_sentence(self.name, error)) from error
        # The database cannot store every character that JSON can contain.
        if not is_plain(repr(arguments)) or any("\0" in text for text in _texts(arguments)):
            raise ToolError("an argument contains an invalid character")
        return valid


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        value = [*value.values()]
    return [text for item in value for text in _texts(item)] if isinstance(value, list) else []


def _schema(model: type[Arguments]) -> Record:
    """Build a JSON Schema of the arguments without titles and defaults, as assistants read all
    schemas every time.
    """
    full = model.model_json_schema()
    properties = {name: _short(member) for name, member in full["properties"].items()}
    needed = {"required": full["required"]} if "required" in full else {}
    return {"type": "object", "properties": properties, **needed, "additionalProperties": False}


def _short(member: Record) -> Record:
    """Return the schema of an argument without title, default, minimum and null alternative: type,
    enum, maximum, items, description.
    """
    options = [option for option in member.get("anyOf", [member]) if option.get("type") != "null"]
    # Every minimum is 0 or 1, and the list of tools is bounded.
    names = ("type", "enum", "maximum")
    short = {name: options[0][name] for name in names if name in options[0]}
    if "items" in options[0]:
        inner = options[0]["items"]
        short["items"] = {"type": inner.get("anyOf", [inner])[0]["type"]}
    return short | ({"description": member["description"]} if "description" in member else {})


def _sentence(tool: str, error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])[:100]
    if first["type"] == "extra_forbidden":
        return f"{tool} takes no argument {place!r}"
    if first["type"] == "missing":
        return f"{tool} needs the argument {place!r}"
    return (
        f"{place}: {first['msg'].removeprefix('Value error, ')}"
        if place
        else f"{tool}: {first['msg']}"
    )
