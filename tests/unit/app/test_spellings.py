"""A page writes the same number with the same digits everywhere."""

import json
import re
from collections import defaultdict

import pytest

from ingest.files import ingest
from tests.support.page_texts import page_texts
from tests.unit.app.conftest import SAMPLES

NUMBER = re.compile(
    r"(?<![\w.,+−-])(\d+(?:[ \u202f\u00a0]\d{3})*(?:\.\d+)?)[ \u202f\u00a0]?(KiB|MiB|GiB|TiB|GMAC/s|cycles)\b"
)


def spellings(texts):
    """Map each number with its unit to the ways in which the texts write it."""
    found = defaultdict(set)
    for text in texts:
        for digits, unit in NUMBER.findall(text):
            plain = re.sub(r"[ \u202f\u00a0]", " ", digits)
            found[float(plain.replace(" ", "")), unit].add(plain)
    return found


def odd_spellings(texts):
    """List the numbers that the texts write in two ways."""
    return sorted(ways for ways in map(sorted, spellings(texts).values()) if len(ways) > 1)


def test_two_spellings_are_found():
    assert odd_spellings(["288.0 MiB", "of 288 MiB"]) == [["288", "288.0"]]
    assert odd_spellings(["14446 cycles, 14\u202f446 cycles"]) == [["14 446", "14446"]]
    assert odd_spellings(["288 MiB", "288 KiB", "288\u202fMiB", "1.5 MiB"]) == []


@pytest.mark.slow
def test_every_page_has_one_spelling_of_a_number(signed_in, samples):
    client = signed_in("edgar")
    repository = client.repository
    found = ingest(repository, [samples / name for name in SAMPLES], {}).runs
    odd = {}
    for run in found:
        page = client.open(f"/run/{run.run_id}")
        texts = [shown.text for shown in page_texts(json.loads(page)) if not shown.is_tick]
        odd[run.run_id] = odd_spellings(texts)
    assert {run: ways for run, ways in odd.items() if ways} == {}
