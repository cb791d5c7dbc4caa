"""The cache of maps: those shown last stay whatever their size, others within the limit."""

import pytest

from services.run.map_cache import MapCache


@pytest.fixture
def made():
    return []


@pytest.fixture
def cache(made):
    """A cache of at most 100 bytes, in which a map has as many bytes as its number says."""
    maps = MapCache(100, sum)

    def get(key, size):
        return maps.get(key, lambda: made.append(key) or [size])

    get.cache = maps
    return get


def test_maps_above_the_limit_are_computed_once_while_they_are_shown(cache, made):
    assert [cache("large", 500), cache("large", 500), cache("large", 500)] == [[500]] * 3
    assert made == ["large"]
    assert cache.cache.held_bytes == 500


def test_only_the_last_maps_above_the_limit_stay(cache, made):
    cache("large", 500)
    cache("other", 300)
    assert cache.cache.held_bytes == 300
    cache("large", 500)
    assert made == ["large", "other", "large"]


def test_maps_within_the_limit_stay_beside_larger_ones(cache, made):
    cache("small", 60)
    cache("large", 500)
    cache("small", 60)
    assert made == ["small", "large"]
    assert cache.cache.held_bytes == 60
