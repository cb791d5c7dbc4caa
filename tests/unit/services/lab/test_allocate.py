"""Answers about stored runs: rooms above constants, attempts, and what a strategy needs."""

import pytest

from analysis.allocators.placement import Question
from analysis.memory.index import MemoryIndex
from schema.frames import empty
from services.lab import allocate
from services.lab.allocate import Asked, choose_attempts, memory_of, place_attempts, prepare, record
from services.run.memory import MemoryData
from storage.errors import FrameNotFound
from tests.support.banks import CHIP, events, step_times
from tests.support.memory import block, constant, numbered


def memory_data(rows, count, steps=None, log=None, **columns):
    attempts, blocks = numbered(rows, count, **columns)
    frames = [
        empty("steps") if steps is None else steps,
        empty("buffer_uses"),
        empty("events") if log is None else log,
    ]
    return MemoryData(MemoryIndex.of(attempts, blocks, *frames[:2]), blocks, *frames)


@pytest.fixture
def memory():
    """Two attempts with 64 bytes of constants below their arenas."""
    rows = [
        constant("c", size=64), block("a", 0, 2, size=32), block("b", 1, 3, size=32),
        block("v", 1, 3, size=16, alias_of=2),
        block("other", 0, 1, size=8, attempt=1),
    ]  # fmt: skip
    return memory_data(rows, count=2, static_bytes=[64, 0], capacity=128)


def asked(capacity=None, strategy="best_fit", fixed=None):
    return Asked(strategy, capacity, Question(effort=1_000), fixed or {})


def placed(memory, attempts, *question):
    """List the records of the attempts' placements."""
    goal = asked(*question)
    return [record("r", goal, one) for one in place_attempts(memory, attempts, goal)]


class TestAnswers:
    def test_the_room_is_what_is_above_the_constants(self, memory):
        fits, tight = (placed(memory, [0], capacity)[0] for capacity in (128, 127))
        assert (fits["status"], fits["capacity"], fits["extent"]) == ("optimal", 128, 64)
        assert (tight["status"], tight["proof"], tight["placements"]) == ("infeasible", "bound", [])

    def test_constants_are_not_placed_and_aliases_lie_in_their_storage(self, memory):
        (found,) = placed(memory, [0])
        where = {one["block"]: one["address"] for one in found["placements"]}
        assert set(where) == {1, 2, 3}
        assert where[2] == where[3]

    def test_every_attempt_has_its_answer(self, memory):
        assert choose_attempts(memory, "r", None, every=True) == [0, 1]
        assert [one["extent"] for one in placed(memory, [0, 1])] == [64, 8]

    def test_one_attempt_is_that_of_the_headline_or_the_given_one(self, memory):
        assert choose_attempts(memory, "r", None, every=False) == [0]
        assert choose_attempts(memory, "r", 1, every=False) == [1]
        with pytest.raises(FrameNotFound, match=r"\brun r\b.* 2\b"):
            choose_attempts(memory, "r", 2, every=False)


class TestBanks:
    ROWS = (
        block("out", 1, 3, 0, size=60), block("next", 1, 4, 60, size=60),
        block("alone", 0, 1, 0, size=8, attempt=1),
    )  # fmt: skip

    @pytest.fixture
    def banked(self):
        """Two attempts in four banks of 100 bytes, of which the log has the steps of the first."""
        log = events((1, "layer", "out"), (1, "gdma", "next"))
        return memory_data(self.ROWS, 2, step_times(4), log, **CHIP)

    @pytest.mark.slow
    def test_conflicts_are_told_of_every_strategy_and_of_the_file(self, banked):
        apart, packed = (placed(banked, [0], None, name)[0] for name in ("bank_aware", "best_fit"))
        names = ("bank_conflicts", "bank_conflicts_stored", "bank_conflicts_bound")
        assert [apart[name] for name in names] == [0, 1, 0]
        assert [packed[name] for name in names] == [1, 1, 0]
        assert (apart["extent"], packed["extent"]) == (160, 120)
        assert placed(banked, [0], 119, "bank_aware")[0]["bank_conflicts"] is None

    @pytest.mark.slow
    def test_an_attempt_without_banks_is_placed_by_its_extent_alone(self, banked):
        both = placed(banked, [0, 1], None, "bank_aware")
        assert [one["bank_conflicts"] for one in both] == [0, None]
        assert [one["bank_conflicts_stored"] for one in both] == [1, None]
        assert both[1]["extent"] == placed(banked, [1], None, "search")[0]["extent"]


class TestPrepare:
    def test_a_search_is_compiled_first_and_what_is_not_kept_is_said(self, monkeypatch):
        warmed, said = [], []
        monkeypatch.setattr(allocate, "warm_up", warmed.append)
        monkeypatch.setattr(allocate, "cache_note", lambda: "not kept")
        prepare("search", said.append)
        prepare("best_fit", said.append)
        assert len(warmed) == 1
        assert said == ["not kept"] * 2

    def test_without_a_compiler_simple_strategies_say_nothing(self, monkeypatch):
        said = []
        monkeypatch.setattr(allocate, "is_compiled", lambda: False)
        prepare("first_fit", said.append)
        assert not said


def test_a_run_without_blocks_is_refused(monkeypatch):
    class Cache:
        def get(self, *_):
            return self

        @property
        def memory(self):
            return memory_data([], count=0)

    with pytest.raises(FrameNotFound, match=r"\brun r\b"):
        memory_of(Cache(), "r")
