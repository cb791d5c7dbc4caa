"""Compare figures with recorded ones: none may get worse.

`ratchet.py RECORD < FIGURES` reads lines such as `FAIL packed assignments: 8.2 (at most 2.5)`. It exits with 1 if a
figure is on the wrong side of its goal and worse than the record. `--update` writes the figures as the new record.
"""

import re
import sys
from pathlib import Path

FIGURE = re.compile(
    r"^(?:ok  |FAIL) (?P<name>.*): (?P<value>[0-9.]+) \(at (?P<side>most|least) (?P<goal>[0-9.]+)\)$",
    re.M,
)
SLACK = 0.005
"""Share of a figure that rounding may add."""


def read(text):
    """Return name -> value, goal and whether larger values are better."""
    return {
        m["name"]: (float(m["value"]), float(m["goal"]), m["side"] == "least")
        for m in FIGURE.finditer(text)
    }


def is_worse(value, goal, larger_is_better, before):
    """Return whether a figure misses its goal and moved away from it."""
    if larger_is_better:
        return value < goal and value < before * (1 - SLACK) - 0.05
    return value > goal and value > before * (1 + SLACK) + 0.05


def main(record, *options):
    """Compare standard input with a record, or write it there; return the exit code."""
    text = sys.stdin.read()
    if "--update" in options:
        Path(record).write_text(text, "utf-8")
        return 0
    before = read(Path(record).read_text("utf-8"))
    worse = [
        f"{name}: {value:g}, before {before[name][0]:g}"
        for name, (value, goal, larger_is_better) in read(text).items()
        if name in before and is_worse(value, goal, larger_is_better, before[name][0])
    ]
    print("\n".join(worse) or "no figure is worse than the record")
    return bool(worse)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
