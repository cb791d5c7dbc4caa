"""The time of a kernel, fitted to sweeps whose law is known."""

import numpy as np
import pytest

from analysis.tiling.kernel_period import MIN_SIZES, fit_period

EDGES = (16, 32, 64, 128)
SIZES = np.array([(m, k, n) for m in EDGES for k in EDGES for n in EDGES])
LAWS = {
    "compute": ((180, 0.3, 0, 0.0126), None),
    "operands": ((60, 0, 0.05, 0.0126), None),
    "transfers": ((90, 0.1, 0, 0.0126), 6.2),
}


def periods(sizes, law, rng=None):
    (overhead, per_mn, per_operand, per_mac), rate = LAWS[law]
    m, k, n = sizes.T
    time = overhead + per_mn * m * n + per_operand * (m * k + k * n) + per_mac * m * k * n
    if rate:
        time = np.maximum(time, (m * k + k * n) * 2 / rate)
    return time * (1 if rng is None else 1 + rng.normal(0, 0.004, len(sizes)))


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("law", LAWS)
def test_a_law_without_noise_is_found(law):
    sweep = np.random.default_rng(1).choice(SIZES, 16, replace=False)
    model = fit_period(sweep, periods(sweep, law), 2)
    assert model.period(SIZES, 2) == pytest.approx(periods(SIZES, law), rel=0.02)
    assert (model.rate is not None) == (LAWS[law][1] is not None)


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
def test_intervals_hold_what_they_claim_about(law):
    held, width = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        sweep = rng.choice(SIZES, 13, replace=False)
        model = fit_period(sweep, periods(sweep, law, rng), 2)
        # as far as the sweep goes: beyond it nothing is predicted
        inside = SIZES[((sweep.min(0) <= SIZES) & (sweep.max(0) >= SIZES)).all(1)]
        inside = inside[
            (inside.prod(1) >= sweep.prod(1).min()) & (inside.prod(1) <= sweep.prod(1).max())
        ]
        off = model.period(inside, 2) / periods(inside, law, rng) - 1
        held.append(np.mean(np.abs(off) <= model.width))
        width.append(model.width)
    assert np.mean(held) >= 0.85 and np.median(width) <= 0.12


@pytest.mark.slow
def test_the_order_of_the_sizes_changes_nothing():
    sweep = np.random.default_rng(3).choice(SIZES, 12, replace=False)
    times = periods(sweep, "transfers", np.random.default_rng(4))
    turned = np.arange(len(sweep))[::-1]
    assert fit_period(sweep, times, 2) == fit_period(sweep[turned], times[turned], 2)


def test_too_few_sizes_give_no_model():
    few = SIZES[: MIN_SIZES - 1]
    assert fit_period(few, periods(few, "compute"), 2) is None


def test_sizes_that_tell_no_term_apart_give_a_model_or_none_but_no_error():
    same_k = np.array([(16, 16, 16 * at) for at in range(1, 9)])
    model = fit_period(same_k, np.full(8, 100.0), 2)
    assert model is None or np.isfinite(model.period(same_k, 2)).all()
