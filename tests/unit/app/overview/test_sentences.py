"""Every number in the sentences of overview and retention, against the records that they are from."""

import re
from dataclasses import replace

import pytest

from app.config.settings import Settings
from app.overview.attention_words import store_sentence
from app.overview.parts import _tokens_words, overview_parts
from app.overview.record import load_overview
from app.overview.retention_words import preview_sentence
from components.numbers import size
from services.retention.retention import RetentionPreview, preview_retention
from storage.annotations import Annotations, Change
from tests.support.runs import catalogue_of
from tests.support.sentences import COUNT, number_faults, plain

KEYS = ("source", "hwid")


@pytest.mark.parametrize("runs", [0, 1, 3])
@pytest.mark.parametrize("keep", [1, 5])
@pytest.mark.parametrize("pinned", [0, 1, 2])
@pytest.mark.parametrize(
    "held", [{}, {"rule a": 1}, {"rule a": 2, "baseline b": 1}, dict.fromkeys("abcdefg", 1)]
)
def test_a_preview_counts_what_goes_and_what_stays(runs, keep, pinned, held):
    held_runs = max(held.values(), default=0)
    preview = RetentionPreview(tuple("r" * runs), 2_048 * runs, held, held_runs, pinned)
    sentence = plain(preview_sentence(preview, keep, KEYS))
    assert not number_faults(sentence)
    gone = re.match(rf"{COUNT} runs? with ([\d.]+ \w+) would be deleted", sentence)
    assert (gone is None) == (runs == 0)
    if gone:
        assert (int(gone[1]), gone[2]) == (runs, plain(size(preview.stored_bytes)))
    kept = re.search(rf"the newest (?:{COUNT} runs|run) of each", sentence)
    assert int(kept[1] or 1) == keep
    stay = re.search(rf"{COUNT} older runs? stays?: (.*?)\. ", sentence)
    assert (int(stay[1]) if stay else 0) == held_runs
    named = [int(count) for count in re.findall(rf"{COUNT} for ", stay[2])] if stay else []
    assert named == list(held.values())[:5]
    assert ("several reasons" in sentence) == (sum(held.values()) > held_runs)
    pins = re.search(rf"{COUNT} pinned runs? (?:is|are) kept", sentence)
    assert (int(pins[1]) if pins else 0) == pinned


def test_a_preview_of_a_store_has_the_counts_of_its_runs(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    rows = [{"hwid": hwid, "run_id": f"{at + 1:064x}"} for at, hwid in enumerate("aaab")]
    catalogue_of(f"sqlite:///{folder}/catalogue.db", *rows).close()
    repository = Settings(data=folder).repository()
    Annotations(repository.catalogue).change(rows[0]["run_id"], Change(pinned=True), "ann")
    preview = preview_retention(repository, 1, ("hwid",))
    sentence = plain(preview_sentence(preview, 1, ("hwid",)))
    assert int(re.match(rf"{COUNT} run", sentence)[1]) == len(preview.run_ids) == 1
    assert int(re.search(rf"{COUNT} pinned run is", sentence)[1]) == preview.pinned == 1


@pytest.fixture
def overview(tmp_path):
    settings = Settings(data=tmp_path / "data")
    repository = settings.repository()
    repository.catalogue.create()
    yield load_overview(settings, repository)
    repository.catalogue.close()


def sentences(overview):
    return [plain(part.sentence) for part in overview_parts(overview)]


def test_an_empty_store_has_no_counts_of_things_that_it_lacks(overview):
    texts = [*sentences(overview), plain(store_sentence(overview, []))]
    for text in texts:
        assert not number_faults(text)
        assert not re.search(r"by 0 |0 stalled|with 0 B|0 of them|in 0 runs|^0 users", text), text


@pytest.mark.parametrize(("failed", "incomplete", "stalled"), [(0, 0, 0), (1, 1, 1), (3, 2, 0)])
def test_uploads_are_counted_as_in_the_json(overview, failed, incomplete, stalled):
    counts = {"failed": failed, "incomplete": incomplete, "stalled": stalled}
    uploads = replace(overview.uploads, **counts, incomplete_bytes=1024 * incomplete)
    made = replace(overview, uploads=uploads)
    assert {name: made.record()["uploads"][name] for name in counts} == counts
    text = next(plain(part.sentence) for part in overview_parts(made) if part.name == "uploads")
    assert not number_faults(text)
    patterns = {
        "failed": rf"{COUNT} uploads? failed",
        "incomplete": rf"{COUNT} uploads? in parts",
        "stalled": rf"{COUNT} stalled",
    }
    for name, pattern in patterns.items():
        found = re.search(pattern, text)
        assert (int(found[1]) if found else 0) == counts[name]


@pytest.mark.parametrize("names", [(), ("a",), ("a", "b")])
@pytest.mark.parametrize("pinned", [0, 1, 2])
def test_what_is_excluded_from_retention_is_counted(overview, names, pinned):
    holds = replace(overview.holds, pinned=pinned, baselines=names, rules=names[:1], alerts=())
    made = replace(overview, holds=holds)
    text = next(plain(part.sentence) for part in overview_parts(made) if part.name == "retention")
    assert not number_faults(text)
    for noun, count in (("pinned run", pinned), ("baseline", len(names)), ("alert", 0)):
        found = re.search(rf"{COUNT} {noun}s?(?! rule)", text)
        assert (int(found[1]) if found else 0) == count


@pytest.mark.parametrize(("valid", "unused"), [(0, 0), (1, 0), (1, 1), (3, 0), (3, 1), (3, 3)])
def test_tokens_that_were_never_used_are_a_part_of_the_valid_ones(valid, unused):
    text = plain(_tokens_words(valid, unused))
    assert not number_faults(text)
    counts = [int(digits) for digits in re.findall(r"\d+", text)]
    assert counts == [number for number in (valid, unused % valid if valid else 0) if number]
    assert ("never used" in text) == bool(unused)
