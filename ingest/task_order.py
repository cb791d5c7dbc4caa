"""Which of several tasks begins next: tasks with an equal key are executed one after another."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

Task = TypeVar("Task")


def take_next(
    tasks: Sequence[Task],
    waiting: list[int],
    running: Iterable[int],
    key: Callable[[Task], Hashable] | None,
) -> int | None:
    """Take the first task whose key differs from the keys of all running tasks out of `waiting`,
    and return its index; None if there is no such task.

    Without `key`, the keys of all tasks differ.
    """

    def key_of(index: int) -> Hashable:
        return (index, None) if key is None else key(tasks[index])

    taken = {key_of(index) for index in running}
    for place, index in enumerate(waiting):
        if key_of(index) not in taken:
            return waiting.pop(place)
    return None
