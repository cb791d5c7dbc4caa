"""Counts get their noun from one function, so that no text has "1 cycles"."""

import ast
import re

import pytest

from components.numbers import count_text
from schema.plurals import first_names, plural, plural_form
from tests.support.packages import PACKAGES, ROOT

FUNCTIONS = {"plural", "count_text"}
VERBS = {"ends", "changes", "needs", "uses", "runs", "stall", "matches"}
"""Plural nouns that are verbs too: `{name} changes`."""
NEVER_ONE = {
    "analysis/comparison/plans.py": ("decimals",),
    "components/memory/device_captions.py": ("everyone",),
    "app/cli/backup.py": ("size",),
    "services/store/orphans.py": ("bytes",),
    "services/store/scheduled_backup.py": ("size",),
    "analysis/aie/design/sentences.py": ("len(traced)",),
    "app/cli/tiling.py": ("intensity",),
    "app/pages/sql/page.py": ("state.chart",),
    "data_loaders/aie/packets.py": ("most",),
    "data_loaders/reading/files.py": ("max_bytes",),
    "data_loaders/tinygrad/machine/amd.py": ("most",),
    "analysis/comparison/captures.py": ("_list_counts",),
    "analysis/aie/findings.py": ("ratio",),
    # Sentences of the script, kept as it writes them.
    "analysis/aie/reference_report.py": ("detected", "expected"),
    "components/aie/iteration_bars.py": ("most",),
    "components/comparison/trend_names.py": ("grid",),
    "components/runs/run_facts.py": ("grid",),
    "components/tiling/tile_times.py": ("integer(own)",),
    "app/overview/parts.py": ("listed",),
    "app/pages/run/header.py": ("cols",),
    "app/views/tiling/array.py": ("significant",),
    "components/tiling/captions.py": ("significant",),
    "components/comparison/words.py": ("every", "high"),
    "schema/run_settings.py": ("rows",),
    "services/store/store_size.py": ("high",),
}
"""Places whose text before the noun is a size such as 4x4, a ratio, several counts, a name, or never
1, such as the size of an archive.
"""
NOT_COUNTED = re.compile(
    r"^ (?:is|are|of|in|and|for|with|at|to|on|per|than|has|have|all|without|about|whose|between"
    r"|overlap|from|treated|holds|reports|contains) "
)


@pytest.fixture(scope="module")
def trees():
    """The code of every module by its path, parsed here: every process imports this module."""
    return {
        str(path.relative_to(ROOT)): ast.parse(path.read_text())
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    }


def calls(tree):
    """Yield the noun of each call of a function that counts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in FUNCTIONS:
            noun = node.args[1] if len(node.args) > 1 else None
            if isinstance(noun, ast.Constant):
                yield noun.value.split()[-1]


def counted_nouns(trees):
    """Return a pattern of the nouns that the code counts somewhere by the function: it then does so
    everywhere.
    """
    nouns = {plural_form(noun) for tree in trees.values() for noun in calls(tree)} - VERBS
    alternatives = "|".join(sorted(nouns, key=len, reverse=True))
    return re.compile(rf"^ (?:[a-z-]+ )?(?:{alternatives})\b(?!/)")


def uncounted(tree, counted):
    """Yield line and text of each plural noun right behind a value that may be 1."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, text in zip(node.values, node.values[1:], strict=False):
            if not (isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant)):
                continue
            words = str(text.value)
            source = ast.unparse(value.value)
            is_limit = re.search(r"\b_?[A-Z][A-Z_]{2,}\b", source)
            if counted.match(words) and not NOT_COUNTED.match(words) and not is_limit:
                yield value.lineno, source, words[:30]


@pytest.mark.slow
def test_a_noun_behind_a_number_is_formed_by_one_function(trees):
    counted = counted_nouns(trees)
    found = [
        f"{place}:{line}: {{{source}}}{text}"
        for place, tree in trees.items()
        for line, source, text in uncounted(tree, counted)
        if not any(part in source for part in NEVER_ONE.get(place, ()))
    ]
    assert found == []


def test_counts_of_one_are_singular():
    assert [plural(1, "byte"), plural(2, "match"), plural(0, "capacity")] == [
        "1 byte",
        "2 matches",
        "0 capacities",
    ]
    # 1.2 is written as 1
    assert [count_text(value, "cycle") for value in (1, 1.2, 1.6)] == [
        "1 cycle",
        "1 cycle",
        "2 cycles",
    ]


def test_a_long_list_names_the_first_and_counts_the_rest():
    assert first_names([], 2) == ""
    assert first_names(["a", "b"], 2) == "a, b"
    assert first_names("abcd", 2, "; ") == "a; b and 2 more"
