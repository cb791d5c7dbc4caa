import threading

import numpy as np
import pandas as pd
import pytest

from storage.byte_cache import Budget, ByteCache, NewestBudget
from storage.frame_bytes import frame_bytes


class TestByteCache:
    def test_frames_are_loaded_once_and_forgotten_by_bytes(self):
        frame = pd.DataFrame({"x": np.zeros(1000)})
        loads = []

        def load(key):
            loads.append(key)
            return frame

        size = frame_bytes(frame)
        cache = ByteCache(2 * size, frame_bytes)
        for key in ("a", "b", "a", "c", "a", "b"):
            cache.get(key, lambda key=key: load(key))
        assert loads == ["a", "b", "c", "b"]

    def test_what_is_larger_than_the_cache_is_not_kept(self):
        cache = ByteCache(10, frame_bytes)
        loads = []
        for _ in range(2):
            cache.get("a", lambda: loads.append(1) or pd.DataFrame({"x": np.zeros(1000)}))
        assert len(loads) == 2

    def test_the_newest_value_is_kept_whatever_its_size(self):
        budget = NewestBudget(10)
        cache = ByteCache[str](budget, len)
        loads = []
        for key in ("a" * 30, "a" * 30, "b" * 20, "c" * 4, "d" * 4, "c" * 4, "a" * 30):
            cache.get(key, lambda key=key: loads.append(key[0]) or key)
        assert loads == ["a", "b", "c", "d", "a"]
        assert budget.held_bytes == 30

    def test_threads_that_ask_at_once_share_a_load(self):
        cache = ByteCache(10**6, frame_bytes)
        loads = []
        release = threading.Event()

        def load():
            loads.append(1)
            release.wait(5)
            return pd.DataFrame({"x": [1]})

        threads = [threading.Thread(target=cache.get, args=("a", load)) for _ in range(4)]
        for thread in threads:
            thread.start()
        release.set()
        for thread in threads:
            thread.join()
        assert len(loads) == 1

    def test_what_fails_once_may_be_asked_for_again(self):
        cache = ByteCache(10**6, frame_bytes)

        def fail():
            raise OSError("gone")

        for _ in range(2):
            with pytest.raises(OSError, match="gone"):
                cache.get("a", fail)
        assert len(cache.get("a", lambda: pd.DataFrame({"x": [1]}))) == 1


class CountedKey(str):
    """A key; counts how often any of them is looked up."""

    looks = 0

    def __hash__(self):
        CountedKey.looks += 1
        return super().__hash__()


class TestBudget:
    @pytest.fixture
    def budget(self):
        return Budget(10)

    def held(self, budget):
        return [key for key in "abcd" if budget.find(key) is not None]

    def test_what_a_request_uses_stays_beyond_the_limit(self, budget):
        budget.begin(10, 20)
        budget.keep("a", 1, 8)
        budget.keep("b", 1, 8)
        assert self.held(budget) == ["a", "b"]
        assert budget.held_bytes == 16

    def test_it_stays_up_to_a_larger_limit(self, budget):
        budget.begin(10, 20)
        for key in "abc":
            budget.keep(key, 1, 8)
        budget.keep("d", 1, 21)
        assert self.held(budget) == ["b", "c"]

    def test_the_next_request_finds_it(self, budget):
        budget.begin(10, 20)
        budget.keep("a", 1, 16)
        budget.begin(10, 20)
        assert budget.find("a")
        budget.keep("b", 1, 2)
        assert self.held(budget) == ["a", "b"]

    def test_it_goes_for_what_a_later_request_keeps(self, budget):
        budget.begin(10, 20)
        budget.keep("a", 1, 8)
        budget.keep("b", 1, 8)
        budget.begin(10, 20)
        budget.keep("c", 1, 4)
        assert self.held(budget) == ["c"]
        assert budget.held_bytes == 4

    def test_another_limit_holds_for_what_is_in_use(self, budget):
        budget.begin(10, 20)
        budget.keep("a", 1, 8)
        budget.keep("b", 1, 8)
        budget.resize(10)
        assert self.held(budget) == ["b"]

    def test_a_full_budget_finds_its_oldest_value_without_a_search(self, budget):
        for key in range(2000):
            budget.keep(CountedKey(key), 1, 0.01)
        assert budget.held_bytes == pytest.approx(10)
        assert CountedKey.looks < 20 * 2000
