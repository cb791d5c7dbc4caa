"""Simulated histories of commits, and bisections of them with random measurements."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from analysis.bisection.evidence import Noise, Rules, make_evidence
from analysis.bisection.plan import Plan, make_plan
from schema.array_types import Floats

RATE = Rules(limit=math.log1p(0.02), polarity=1)
"""Rules of a rate: more is better, and a change of 2 % matters."""
_MAX_ACTIONS = 2_000


@dataclass
class History:
    """Commits with their true levels (GMAC/s), of which the first is good and the last bad.

    `noise` is the relative noise of a run, a share of `odd` runs lies up to 30 % away, mostly on
    the slow side. `broken` commits give no result. `drift` is the change of the machine's speed per
    run.
    """

    levels: Floats
    seed: int
    noise: float = 0.01
    odd: float = 0.05
    broken: frozenset[int] = frozenset()
    drift: float = 0.0
    values: dict[int, list[float]] = field(default_factory=dict)
    skipped: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Start the sequence of random numbers."""
        self._random = np.random.default_rng(self.seed)
        self._runs = 0

    @property
    def last(self) -> int:
        """Position of the bad commit."""
        return len(self.levels) - 1

    @property
    def limit(self) -> int:
        """Maximum number of measured commits, good and bad commit included, that a bisection of
        this history may need.
        """
        return math.ceil(math.log2(self.last)) + 2

    @property
    def runs(self) -> int:
        """Number of runs measured so far."""
        return sum(map(len, self.values.values()))

    def measure(self, position: int) -> None:
        """Run a commit once; the run of a broken commit fails."""
        if position in self.broken:
            self.skipped.add(position)
            return
        value = self.levels[position] * math.exp(self._random.normal(0, self.noise))
        if self._random.random() < self.odd:
            size = self._random.uniform(0.05, 0.3)
            value *= 1 - size if self._random.random() < 0.8 else 1 + size
        self.values.setdefault(position, []).append(value * (1 + self.drift * self._runs))
        self._runs += 1

    def culprits(self) -> set[int]:
        """Return the positions of the commits that are worse than the commit before by 1 % or
        more.
        """
        falls = self.levels[1:] < 0.99 * self.levels[:-1]
        return set((np.flatnonzero(falls) + 1).tolist())


def plan_of(history: History, rules: Rules = RATE, noise: Noise | None = None) -> Plan:
    """Plan the next step of a bisection from the measurements so far; there are no runs of commits
    before the good commit.
    """
    evidence = make_evidence(history.last, history.values, rules)
    return make_plan(evidence, history.skipped, noise or Noise(0.01, 2.5), rules.least_step)


def bisect(history: History, rules: Rules = RATE, noise: Noise | None = None) -> Plan:
    """Measure as planned until the plan ends, and return the last plan."""
    for _ in range(_MAX_ACTIONS):
        plan = plan_of(history, rules, noise)
        if plan.next is None:
            return plan
        history.measure(plan.next)
    raise AssertionError("the bisection does not end")


def stepped(commits: int, steps: Sequence[tuple[int, float]]) -> Floats:
    """Return the levels of commits that begin at 100; each step (position, size) lowers the level
    by a share of it.
    """
    levels = np.full(commits + 1, 100.0)
    for position, size in steps:
        levels[position:] *= 1 - size
    return levels


def draw_history(seed: int, sizes: Sequence[float] = (0.02, 0.03, 0.05, 0.1, 0.2)) -> History:
    """Draw a history of 5 to 1000 commits with one step of a size of `sizes` and some broken
    commits, in ranges of up to four.
    """
    random = np.random.default_rng([seed, 1])
    commits = round(math.exp(random.uniform(math.log(5), math.log(1000))))
    position = int(random.integers(1, commits + 1))
    broken: set[int] = set()
    while len(broken) < 0.08 * commits and random.random() < 0.95:
        first = int(random.integers(1, commits))
        broken |= set(range(first, min(first + int(random.integers(1, 5)), commits)))
    levels = stepped(commits, [(position, sizes[seed % len(sizes)])])
    return History(levels, seed, broken=frozenset(broken))


def draw_two_steps(seed: int) -> History:
    """Draw a history with two steps for the worse, of 3 to 20 %."""
    random = np.random.default_rng([seed, 2])
    commits = int(random.integers(10, 500))
    first, second = sorted(random.choice(np.arange(1, commits + 1), 2, replace=False))
    sizes = random.choice([0.03, 0.05, 0.1, 0.2], 2)
    return History(stepped(commits, [(first, sizes[0]), (second, sizes[1])]), seed)


def draw_gradual(seed: int) -> History:
    """Draw a history that becomes worse by 3 to 20 %, by less than 1 % per commit."""
    random = np.random.default_rng([seed, 4])
    commits = int(random.integers(40, 500))
    size = (0.03, 0.05, 0.1, 0.2)[seed % 4]
    return History(100 * (1 - size * np.linspace(0, 1, commits + 1)), seed)


def draw_level(seed: int) -> History:
    """Draw a history without any change."""
    commits = int(np.random.default_rng([seed, 6]).integers(1, 500))
    return History(np.full(commits + 1, 100.0), seed)


def draw_reversed(seed: int) -> History:
    """Draw a history whose bad commit is better than its good commit: they were swapped."""
    history = draw_history(seed)
    history.levels = history.levels[::-1].copy()
    return history


def draw_drifting(seed: int) -> History:
    """Draw a history with a step, measured on a machine whose speed drifts."""
    history = draw_history(seed, (0.05, 0.1, 0.2))
    history.drift = (0.001, -0.001, 0.002)[seed % 3]
    return history


def draw_recovered(seed: int) -> History:
    """Draw a history that becomes worse, recovers, and becomes worse again."""
    random = np.random.default_rng([seed, 7])
    commits = int(random.integers(20, 300))
    first, back, again = sorted(random.choice(np.arange(1, commits + 1), 3, replace=False))
    levels = np.full(commits + 1, 100.0)
    levels[first:back] *= 0.9
    levels[again:] *= 0.9
    return History(levels, seed)


def draw_noisy(seed: int) -> History:
    """Draw a history with a step and three times the noise."""
    history = draw_history(seed, (0.05, 0.1, 0.2))
    history.noise = 0.03
    return history


def draw_odd(seed: int) -> History:
    """Draw a history with a step and three times as many odd runs."""
    history = draw_history(seed)
    history.odd = 0.15
    return history


OTHER_HISTORIES: Mapping[str, Callable[[int], History]] = MappingProxyType(
    {
        "two steps": draw_two_steps,
        "gradual": draw_gradual,
        "no change": draw_level,
        "good and bad swapped": draw_reversed,
        "drifting machine": draw_drifting,
        "recovered and worse again": draw_recovered,
        "noise of 3 %": draw_noisy,
        "15 % odd runs": draw_odd,
    }
)
"""Kinds of histories by name, other than the usual kind (`draw_history`)."""


def is_right(history: History, plan: Plan) -> bool:
    """Whether the result names a commit with a step, or the range that ends with it if the commits
    before give no result.
    """
    named = set(range(plan.first, plan.last + 1))
    return plan.has_culprit and bool(named & history.culprits())
