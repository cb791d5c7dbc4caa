"""All regular expressions of the project, and texts that make a pattern backtrack, built from its
own parts.
"""

import ast
import importlib
import pkgutil
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from re import _constants as sre
from re import _parser

PACKAGES = (
    "analysis",
    "app",
    "components",
    "data_loaders",
    "ingest",
    "samples",
    "schema",
    "services",
    "storage",
)
_OF_OTHER_TOOLS = ("samples.tinygrad_training", "storage.migrations.env")
ROOT = Path(__file__).parents[2]
_FLAGS = re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_OF_CATEGORY = {
    sre.CATEGORY_DIGIT: "0",
    sre.CATEGORY_SPACE: " ",
    sre.CATEGORY_WORD: "a",
    sre.CATEGORY_NOT_DIGIT: "a",
    sre.CATEGORY_NOT_SPACE: "a",
    sre.CATEGORY_NOT_WORD: " ",
}
_USUAL = "a 0;_/\t"


@dataclass(frozen=True)
class Found:
    """A compiled pattern and its place (module and name or line)."""

    place: str
    pattern: re.Pattern


def modules():
    """Import and return all modules of the project, except scripts that other tools run."""
    for package in PACKAGES:
        path = [str(ROOT / package)]
        for module in [
            package,
            *(found.name for found in pkgutil.walk_packages(path, f"{package}.")),
        ]:
            if not module.endswith("__main__") and module not in _OF_OTHER_TOOLS:
                yield importlib.import_module(module)


@cache
def every_pattern():
    """List every pattern of the project once, as `Found`: patterns that are values of modules, and
    patterns in calls of `re`.
    """
    found = {}
    for module in modules():
        for name, value in vars(module).items():
            for pattern in held(value):
                found.setdefault(
                    (pattern.pattern, pattern.flags), Found(f"{module.__name__}.{name}", pattern)
                )
        for line, pattern in written(Path(module.__file__)):
            found.setdefault(
                (pattern.pattern, pattern.flags), Found(f"{module.__name__}:{line}", pattern)
            )
    return tuple(found.values())


def held(value):
    """Return the compiled patterns in a value: the value itself, or the items of a collection."""
    if isinstance(value, re.Pattern):
        return [value]
    if isinstance(value, dict):
        return [pattern for item in (*value, *value.values()) for pattern in held(item)]
    if isinstance(value, (tuple, list, frozenset, set)):
        return [pattern for item in value for pattern in held(item)]
    return []


def written(path):
    """Yield (line, compiled pattern) of each call in a file such as `re.sub("a+", ...)` with a
    literal pattern.
    """
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            owner, first = node.func.value, node.args[0]
            literal = isinstance(first, ast.Constant) and isinstance(first.value, str | bytes)
            if isinstance(owner, ast.Name) and owner.id == "re" and literal:
                yield node.lineno, re.compile(first.value, flags_of(node))


def flags_of(call):
    """Return the flags in a call of `re`."""
    names = [node.attr for node in ast.walk(call) if isinstance(node, ast.Attribute)]
    return sum(
        getattr(re, name) for name in set(names) & {"MULTILINE", "IGNORECASE", "DOTALL", "VERBOSE"}
    )


def parts(tree):
    """List the elements of a parsed pattern in order, groups replaced by their elements."""
    for operation, value in tree:
        if operation is sre.SUBPATTERN:
            yield from parts(value[-1])
        elif operation is sre.ATOMIC_GROUP:
            yield from parts(value)
        else:
            yield operation, value


def sample(operation, value):
    """Build a text that an element of a pattern matches."""
    if operation in (sre.LITERAL, sre.IN):
        return chr(value) if operation is sre.LITERAL else member(value)
    if operation in (sre.NOT_LITERAL, sre.ANY):
        return "b" if value == ord("a") else "a"
    if operation in _REPEATS:
        least, most, inner = value
        return "".join(sample(*part) for part in parts(inner)) * max(least, min(most, 1))
    if operation is sre.BRANCH:
        return "".join(sample(*part) for part in parts(value[1][0]))
    return ""


def member(items):
    """Return a character of a character set."""
    kinds = [kind for kind, _ in items]
    if sre.NEGATE in kinds:
        without = [value for kind, value in items if kind is sre.LITERAL]
        return next(char for char in "ab0 -" if ord(char) not in without)
    kind, value = items[0]
    if kind is sre.LITERAL:
        return chr(value)
    return chr(value[0]) if kind is sre.RANGE else _OF_CATEGORY[value]


def inner_parts(tree):
    """List all elements of a pattern, including elements within repeats and alternatives."""
    for operation, value in parts(tree):
        yield operation, value
        branches = (
            [value[2]] if operation in _REPEATS else value[1] if operation is sre.BRANCH else []
        )
        for branch in branches:
            yield from inner_parts(branch)


def awkward(pattern, size):
    """Yield (description, text of about `size`) of texts that could make a pattern backtrack.

    They repeat each of its characters and elements, and each beginning that matches up to some
    element, with and without such a beginning in front.
    """
    text = (
        pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    )
    tree = _parser.parse(text, pattern.flags & _FLAGS)
    samples = [sample(*part) for part in parts(tree)]
    begins = ["".join(samples[:rank]) for rank in range(len(samples) + 1)]
    inner = {sample(*part) for part in inner_parts(tree)}
    pairs = [("", unit) for unit in {*inner, *_USUAL, *begins}]
    pairs += [
        (begin, unit)
        for begin, *units in zip(begins, ["", *samples], [*samples, ""], strict=True)
        for unit in units
    ]
    for begin, unit in dict.fromkeys(pairs):
        if unit:
            made = begin + unit * (size // len(unit)) + "\1"
            yield (
                (begin, unit),
                made if isinstance(pattern.pattern, str) else made.encode("latin-1", "replace"),
            )
