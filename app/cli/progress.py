"""Progress bar on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import click

from app.cli.common import printable


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int, str], None] | None]:
    """Provide a function that draws a bar on stderr, None if stderr is not a terminal.

    It is called with index, count and name of each item before the item is processed.
    """
    if not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as stack:
        bars: list[click._termui_impl.ProgressBar[int]] = []

        def on_each(index: int, count: int, name: str) -> None:
            if not bars:
                bars.append(
                    stack.enter_context(
                        click.progressbar(length=count, label=label, file=sys.stderr)
                    )
                )
            bars[0].label = printable(name)[:40]
            # The call comes before an item is processed, so the first call does not advance the
            # bar.
            bars[0].update(min(index, 1))

        yield on_each
