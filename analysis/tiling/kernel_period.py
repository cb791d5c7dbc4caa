"""Model of the time of a kernel of m x k x n on a core, fitted to measured sizes.

The period of a kernel is max(o + a m n + b (m k + k n) + c m k n, bytes / rate): an overhead, a
time per element of C and of A and B, the products, and the transfer of its operands if that takes
longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from analysis.statistics.student import quantile
from schema.array_types import Bools, Floats, Ints

TERMS = ("overhead", "per_mn", "per_operand", "per_mac")
"""Coefficients of 1, m n, m k + k n, and m k n; every model has the last."""
MIN_SIZES = 6
"""Minimum number of measured sizes for a fit."""
_FOLDS = 20
_MAX_BOUND_COUNTS = 12
"""Maximum number of different counts of transfer-limited sizes that are tried."""
_NEAR = 1.05
"""A model with fewer terms is preferred if its error is at most this factor larger."""
_MIN_WIDTH = 0.01
_CONFIDENCE = 0.975


@dataclass(frozen=True)
class PeriodModel:
    """Coefficients in ns by `TERMS`, transfer rate in bytes per ns, and errors of the fit.

    `error` is the root mean square of the relative errors in cross-validation, `width` the relative
    half width of a 95 % interval, `sizes` the number of measured sizes.
    """

    coefficients: tuple[float, ...]
    rate: float | None
    error: float
    width: float
    sizes: int

    def period(self, tiles: Ints, element_bytes: int) -> Floats:
        """Compute the time of a kernel in ns for each row (m, k, n) of `tiles`."""
        return _predict(
            _columns(tiles), _operand_bytes(tiles, element_bytes), self.coefficients, self.rate
        )


@dataclass(frozen=True)
class _Form:
    """Terms of a model, and the number of sizes that it takes as limited by transfers."""

    terms: tuple[int, ...]
    bound: int

    @property
    def parameters(self) -> int:
        """Number of fitted parameters: the terms, and the transfer rate if it is fitted."""
        return len(self.terms) + (self.bound > 0)


@dataclass(frozen=True)
class _Sweep:
    """Data of a fit: columns of the terms, bytes of operands, periods in ns.

    `fastest` has the sizes by bytes per ns, the highest first.
    """

    columns: Floats
    operand_bytes: Floats
    periods: Floats
    fastest: Ints

    def fit(self, form: _Form, used: Bools) -> tuple[tuple[float, ...], float | None] | None:
        """Fit coefficients (ns, an element per TERMS, 0 for terms that the form lacks) and transfer
        rate (bytes per ns) to the `used` sizes by least squares on relative errors.

        None when there are fewer sizes than terms, when they do not determine the terms, or when a
        coefficient is negative. The rate is None if no used size is limited by transfers.
        """
        bound = np.zeros(len(used), bool)
        bound[self.fastest[: form.bound]] = True
        free = used & ~bound
        if free.sum() < len(form.terms):
            return None
        rows = self.columns[free][:, form.terms] / self.periods[free, None]
        solution, _, rank, _ = np.linalg.lstsq(rows, np.ones(len(rows)), rcond=None)
        if rank < len(form.terms) or (solution < 0).any():
            return None
        coefficients = np.zeros(len(TERMS))
        coefficients[list(form.terms)] = solution
        return tuple(map(float, coefficients)), self._rate(used & bound)

    def _rate(self, bound: Bools) -> float | None:
        share = self.operand_bytes[bound] / self.periods[bound]
        return float((share**2).sum() / share.sum()) if len(share) else None

    def errors(self, form: _Form) -> Floats | None:
        """Compute the relative error of each size in cross-validation (predicted / measured - 1);
        None if a fit fails.

        Each size is left out once; more than 20 sizes are left out in 20 groups.
        """
        count = len(self.periods)
        errors = np.empty(count)
        for fold in range(min(count, _FOLDS)):
            left_out = np.arange(count) % min(count, _FOLDS) == fold
            fitted = self.fit(form, ~left_out)
            if fitted is None:
                return None
            guess = _predict(self.columns[left_out], self.operand_bytes[left_out], *fitted)
            errors[left_out] = guess / self.periods[left_out] - 1
        return errors


def fit_period(tiles: Ints, periods: Floats, element_bytes: int) -> PeriodModel | None:
    """Fit the period of a kernel to rows of m, k, n and their measured periods in ns.

    Terms, and the sizes that transfers limit, are chosen by the error in cross-validation. None for
    fewer than `MIN_SIZES` (6) sizes, or if no model fits.
    """
    if len(tiles) < MIN_SIZES:
        return None
    order = np.lexsort(tiles.T)
    tiles = tiles[order]
    periods = periods[order]
    operand_bytes = _operand_bytes(tiles, element_bytes)
    fastest = np.argsort(-operand_bytes / periods, kind="stable")
    sweep = _Sweep(_columns(tiles), operand_bytes, periods, fastest)
    tried = [
        (form, errors) for form in _forms(len(tiles)) if (errors := sweep.errors(form)) is not None
    ]
    every = np.ones(len(tiles), bool)
    ranked = sorted(
        (_rms(errors), form.parameters, form.bound, form.terms) for form, errors in tried
    )
    near = [entry for entry in ranked if entry[0] <= ranked[0][0] * _NEAR]
    for error, parameters, bound, terms in sorted(near, key=lambda entry: entry[1:]) + ranked:
        fitted = sweep.fit(_Form(terms, bound), every)
        if fitted is not None:
            spread = error * quantile(_CONFIDENCE, max(len(tiles) - parameters, 1))
            return PeriodModel(*fitted, error, max(spread, _MIN_WIDTH), len(tiles))
    return None


def _forms(n: int) -> Iterator[_Form]:
    """Yield the models to try for `n` sizes: sets of terms, with counts of
    transfer-limited sizes.
    """
    for chosen in product((False, True), repeat=len(TERMS) - 1):
        terms = (*(at for at, is_used in enumerate(chosen) if is_used), len(TERMS) - 1)
        most = n - len(terms) - 1
        yield _Form(terms, 0)
        yield from (_Form(terms, int(bound)) for bound in _counts(most))


def _counts(most: int) -> Sequence[int]:
    """Return up to 12 counts from 2 to `most`, evenly spread, ascending; [] if `most` is below 2.

    The count 1 is left out because a single size says too little about a rate.
    """
    return (
        []
        if most < 2
        else sorted(
            {int(count) for count in np.linspace(2, most, min(most - 1, _MAX_BOUND_COUNTS))}
        )
    )


def _columns(tiles: Ints) -> Floats:
    m, k, n = tiles.T.astype(np.float64)
    return np.stack([np.ones(len(m)), m * n, m * k + k * n, m * k * n], axis=1)


def _operand_bytes(tiles: Ints, element_bytes: int) -> Floats:
    m, k, n = tiles.T.astype(np.float64)
    return np.asarray((m * k + k * n) * element_bytes)


def _predict(
    columns: Floats, operand_bytes: Floats, coefficients: Sequence[float], rate: float | None
) -> Floats:
    computed = columns @ np.array(coefficients)
    return np.asarray(computed if rate is None else np.maximum(computed, operand_bytes / rate))


def _rms(errors: Floats) -> float:
    return float(np.sqrt((errors**2).mean()))
