"""Steps in another order, held against every order of small plans."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.memory.least_peak import least_peak
from analysis.memory.step_order import inverse, precedence, reorder_steps
from tests.support.memory import amap, block, steps, uses

STEPS = 5


@st.composite
def plans(draw):
    """Return per tensor the step that writes it and the later ones that read it; its bytes."""
    tensors = []
    for _ in range(draw(st.integers(1, 6))):
        made = draw(st.integers(0, STEPS - 1))
        read = draw(st.sets(st.integers(made, STEPS - 1), max_size=3)) - {made}
        tensors.append((made, sorted(read), draw(st.integers(1, 9))))
    return tensors


def plan_map(tensors):
    rows = [
        block(f"t{at}", made, max([made, *read]) + 1, 0, size)
        for at, (made, read, size) in enumerate(tensors)
    ]
    used = [(0, at, made, "w") for at, (made, _, _) in enumerate(tensors)]
    used += [(0, at, step, "r") for at, (_, read, _) in enumerate(tensors) for step in read]
    return amap(
        rows, steps=steps([f"s{step}" for step in range(STEPS)]), uses=uses(used), length=STEPS
    )


def is_allowed(order, tensors):
    place = inverse(order)
    return all(place[made] < place[step] for made, read, _ in tensors for step in read)


def peak(order, tensors):
    place = inverse(order)
    alive = np.zeros(STEPS, dtype=int)
    for made, read, size in tensors:
        at = [int(place[step]) for step in (made, *read)]
        alive[min(at) : max(at) + 1] += size
    return int(alive.max())


def allowed_orders(tensors):
    return [order for order in permutations(range(STEPS)) if is_allowed(order, tensors)]


def refused(allowed, order):
    try:
        allowed.check(order)
    except ValueError:
        return True
    return False


@pytest.mark.slow
@given(plans())
def test_an_order_is_allowed_where_every_tensor_is_written_before_it_is_read(tensors):
    shown = plan_map(tensors)
    allowed = precedence(shown.blocks, shown.uses, STEPS)
    for order in permutations(range(STEPS)):
        assert refused(allowed, order) != is_allowed(order, tensors)


@pytest.mark.slow
@given(plans(), st.data())
def test_a_step_may_go_where_the_order_stays_allowed(tensors, data):
    shown = plan_map(tensors)
    allowed = precedence(shown.blocks, shown.uses, STEPS)
    order = data.draw(st.sampled_from(allowed_orders(tensors)))
    step = data.draw(st.integers(0, STEPS - 1))
    others = [other for other in order if other != step]
    places = [at for at in range(STEPS) if is_allowed((*others[:at], step, *others[at:]), tensors)]
    assert allowed.span(order, step) == (places[0], places[-1])
    assert places == list(range(places[0], places[-1] + 1))


@pytest.mark.slow
@given(plans(), st.data())
def test_lives_follow_the_uses(tensors, data):
    shown = plan_map(tensors)
    order = data.draw(st.sampled_from(allowed_orders(tensors)))
    after, place = reorder_steps(shown, order), inverse(order)
    for row, (made, read, _) in zip(after.blocks.to_dict("records"), tensors, strict=True):
        assert row["start"] == place[made]
        assert row["end"] == max(int(place[step]) for step in (made, *read)) + 1
    assert after.steps["name"].tolist() == [f"s{step}" for step in order]
    assert after.uses["kernel"].tolist() == place[shown.uses["kernel"]].tolist()


@pytest.mark.slow
@given(plans())
def test_no_allowed_order_has_fewer_bytes_at_once(tensors):
    shown = plan_map(tensors)
    order = least_peak(shown, precedence(shown.blocks, shown.uses, STEPS))
    assert is_allowed(order, tensors)
    assert peak(order, tensors) == min(peak(other, tensors) for other in allowed_orders(tensors))
    stored = tuple(range(STEPS))
    assert peak(order, tensors) < peak(stored, tensors) or order == stored


class TestPlansOfTools:
    def test_what_lives_longer_than_its_uses_stays_tied_to_where_it_began_and_ended(self):
        rows = [block("a", 1, 4, 0), block("in", 0, 2, 64), block("out", 3, 6, 128)]
        shown = amap(rows, uses=uses([(0, 0, 2, "w"), (0, 1, 1, "r"), (0, 2, 3, "w")]), length=5)
        assert reorder_steps(shown, range(5)).blocks[["start", "end"]].to_numpy().tolist() == [
            [1, 4],
            [0, 2],
            [3, 6],
        ]
        after = reorder_steps(shown, (0, 2, 1, 4, 3)).blocks
        assert after["start"].tolist() == [1, 0, 4]
        assert after["end"].tolist() == [5, 3, 6]

    def test_uses_of_a_view_keep_its_source_alive(self):
        rows = [block("a", 0, 3, 0), block("view", 1, 3, 0, alias_of=0, status="shared")]
        shown = amap(
            rows,
            uses=uses([(0, 0, 0, "w"), (0, 0, 1, "r"), (0, 1, 1, "w"), (0, 1, 2, "r")]),
            length=4,
        )
        assert reorder_steps(shown, (3, 0, 1, 2)).blocks[["start", "end"]].to_numpy().tolist() == [
            [1, 4],
            [2, 4],
        ]
        allowed = precedence(shown.blocks, shown.uses, 4)
        assert allowed.span((0, 1, 2, 3), 3) == (0, 3)
        assert allowed.span((0, 1, 2, 3), 1) == (1, 1)

    def test_tiles_move_with_their_step(self):
        rows = [block("tile", 1, 2, 0, plan="inner"), block("held", 0, 3, 64, hold=True)]
        after = reorder_steps(amap(rows, uses=uses([(0, 0, 1, "r")]), length=3), (1, 0, 2)).blocks
        assert after["start"].tolist() == [0, 0] and after["end"].tolist() == [1, 3]

    @pytest.mark.parametrize("more", [{"gaps": "1-2"}, {"wraps": True}])
    def test_gaps_and_wraps_keep_the_order(self, more):
        shown = amap([block("a", 0, 4, 0, **more)], length=4)
        with pytest.raises(ValueError, match="cannot be reordered"):
            reorder_steps(shown, (1, 0, 2, 3))

    @pytest.mark.parametrize("order", [(0, 0, 1), (0, 1), (0, 1, 3), ()])
    def test_what_is_no_order_is_refused(self, order):
        shown = amap([block("a", 0, 3, 0)], length=3)
        with pytest.raises(ValueError, match="each of"):
            reorder_steps(shown, order)
        with pytest.raises(ValueError, match="each of"):
            precedence(shown.blocks, shown.uses, 3).check(order)

    @pytest.mark.slow
    def test_of_a_plan_with_too_many_orders_some_are_looked_at(self):
        count = 600
        rows = [block(f"t{at}", at, at + 1, 0, 1 + at % 7) for at in range(count)]
        rows += [block(f"wide{at}", 0, at + 1, 0, 1) for at in range(1, count)]
        used = [(0, at, at, "w") for at in range(count)]
        used += [(0, count + at - 1, step, "w") for at in range(1, count) for step in (0, at)]
        shown = amap(
            rows, steps=steps([f"s{step}" for step in range(count)]), uses=uses(used), length=count
        )
        allowed = precedence(shown.blocks, shown.uses, count)
        allowed.check(least_peak(shown, allowed))
