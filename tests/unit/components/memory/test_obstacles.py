"""Why a block has no place, in words."""

from analysis.allocators.obstacles import BlockObstacles
from components.memory.obstacles import ObstacleWords, obstacle_parts
from tests.support.components import words
from tests.support.numbers_in_text import numbers_in

WORDS = ObstacleWords("more bytes are asked for than there are", [], "not asked", "/lab")
OTHER = {"block": 1, "name": "b", "address": 0, "size": 64, "start": 0, "end": 2}


def parts(*in_the_way):
    obstacles = BlockObstacles(0, 0, False, [*in_the_way], 64, "too_big", [])
    return words(obstacle_parts(obstacles, 128, WORDS))


def test_blocks_in_the_way_are_counted_only_if_there_are_any():
    assert "1" in numbers_in(parts(OTHER))
    assert "0" not in numbers_in(parts())
