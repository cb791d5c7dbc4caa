from analysis.memory.alive import alive, height_setters, neighbours, peak_blocks, peak_within, users
from tests.support.memory import amap, block, constant, failed, steps, uses

ROWS = [
    block("bottom", 0, 4, address=0, size=100),
    block("middle", 1, 3, address=100, size=50),
    block("top", 2, 3, address=160, size=40),
    block("later", 3, 5, address=100, size=60),
    constant("weights", 0, 500),
    failed("lost", 2, 3, size=10),
]


def names(shown, rows):
    return shown.blocks["name"].iloc[rows].tolist()


def test_what_is_alive_is_listed_by_size_without_constants():
    assert alive(amap(ROWS), 2)["name"].tolist() == ["bottom", "middle", "top", "lost"]
    assert alive(amap(ROWS), 0)["name"].tolist() == ["bottom"]
    assert alive(amap(ROWS), 99).empty


def test_the_height_is_set_by_the_top_and_what_it_rests_on():
    shown = amap(ROWS)
    assert names(shown, height_setters(shown)) == ["top", "middle", "bottom"]


def test_nothing_placed_sets_no_height():
    assert len(height_setters(amap([failed()]))) == 0


def test_a_wrapped_block_sets_the_height_once():
    shown = amap(
        [block("w", 3, 1, address=10, size=5, wraps=True), block("b", 0, 4, address=0, size=10)]
    )
    assert names(shown, height_setters(shown)) == ["w", "b"]


def test_neighbours_are_nearest_in_address_and_time():
    shown = amap(ROWS)
    found = neighbours(shown, 1)
    said = {(r, shown.blocks["name"].iloc[i]): d for r, i, d in found.itertuples(index=False)}
    assert said == {("above", "top"): 10, ("below", "bottom"): 0, ("after", "later"): 0}


def test_blocks_at_one_address_are_named_first():
    shown = amap([block("a", 0, 2, address=64), block("b", 1, 3, address=64)])
    assert neighbours(shown, 0).iloc[0].tolist() == ["same address", 1, 0]


def test_at_most_three_of_a_relation():
    shown = amap(
        [
            block("t", 0, 1, address=0),
            *(block(f"n{i}", 0, 1, address=64 * (i + 1)) for i in range(9)),
        ]
    )
    found = neighbours(shown, 0)
    assert found["row"].tolist() == [1, 2, 3]
    assert found["distance"].tolist() == [0, 64, 128]


def test_a_block_without_an_address_has_no_neighbours():
    shown = amap(ROWS)
    assert neighbours(shown, 5).empty
    assert neighbours(shown, 4).empty, "a constant lies elsewhere"


def test_users_are_the_operators_of_their_steps():
    shown = amap(
        ROWS,
        steps=steps(["conv", "relu", "add"], ["Conv", "Relu", "Add"]),
        uses=uses([(0, 1, 2, "r"), (0, 1, 0, "w")]),
    )
    assert users(shown, 1).to_numpy().tolist() == [[0, "conv", "Conv", "w"], [2, "add", "Add", "r"]]
    assert users(shown, 0).empty


def test_a_use_in_a_step_without_an_operator_has_no_name():
    assert users(amap(ROWS, uses=uses([(0, 0, 7, "rw")])), 0).iloc[0].tolist() == [7, "", "", "rw"]


def test_the_blocks_that_force_the_peak_come_largest_first():
    shown = amap(ROWS)
    assert names(shown, peak_blocks(shown)) == ["bottom", "middle", "top"]
    assert not len(peak_blocks(amap([failed()], peak_step=None)))


def test_the_peak_within_a_window_is_the_first_step_with_most_bytes():
    shown = amap(ROWS)
    assert [peak_within(shown, window) for window in ((0, 2), (0, 9), (3, 5), (4, 5))] == [
        1,
        2,
        3,
        4,
    ]
    assert peak_within(shown, (90, 99)) is None
