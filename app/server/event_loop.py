"""The loop of a process's connections: a turn costs what happens in it, however many connections are idle.

The loops of waitress ask every connection at every turn whether it wants to read or write, and accept one new
connection a turn: with 1,000 of them `/healthz` waited for seconds.
"""

from __future__ import annotations

import select
import selectors

from waitress import wasyncore

_READ, _WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class _Connections(dict[int, wasyncore.dispatcher]):
    """Dispatchers by file descriptor, which enter and remove themselves."""

    def __init__(self, loop: EventLoop) -> None:
        super().__init__()
        self._loop = loop

    def __setitem__(self, number: int, dispatcher: wasyncore.dispatcher) -> None:
        super().__setitem__(number, dispatcher)
        self._loop.unsettled.add(number)

    def __delitem__(self, number: int) -> None:
        super().__delitem__(number)
        self._loop.forget(number)


class EventLoop:
    """Reads from and writes to the dispatchers in `connections`.

    `unsettled` are those that are asked at the next turn what they want. A dispatcher leaves it once its method
    `settle` returns True, and comes back with its next event, or when it enters `connections` again.
    """

    def __init__(self) -> None:
        self.unsettled: set[int] = set()
        self.connections = _Connections(self)
        self._selector = selectors.DefaultSelector()

    def turn(self, timeout_s: float) -> None:
        """Wait for events and handle them."""
        asked: set[int] = set()
        while new := self.unsettled - asked:  # asking one may unsettle another
            for number in new:
                self._ask(number)
            asked |= new
        for key, events in self._selector.select(timeout_s):
            dispatcher = self.connections.get(key.fd)
            if dispatcher is key.data:  # else it was closed by another one in this turn
                self.unsettled.add(key.fd)
                wasyncore.readwrite(dispatcher, _flags(events))

    def forget(self, number: int) -> None:
        """Wait no more for a descriptor that is about to be closed."""
        self.unsettled.discard(number)
        if number in self._selector.get_map():
            self._selector.unregister(number)

    def close(self) -> None:
        """Give the descriptor of the loop itself back."""
        self._selector.close()

    def _ask(self, number: int) -> None:
        """Wait for what a dispatcher wants."""
        dispatcher = self.connections.get(number)
        if dispatcher is None:
            self.unsettled.discard(number)
            return
        events = _READ if dispatcher.readable() else 0
        if dispatcher.writable() and not dispatcher.accepting:
            events |= _WRITE
        self._wait_for(number, events, dispatcher)
        if getattr(dispatcher, "settle", _never)():
            self.unsettled.discard(number)

    def _wait_for(self, number: int, events: int, dispatcher: wasyncore.dispatcher) -> None:
        before = self._selector.get_map().get(number)
        if before is None:
            if events:
                self._selector.register(number, events, dispatcher)
        elif not events:
            self._selector.unregister(number)
        elif before.events != events or before.data is not dispatcher:
            self._selector.modify(number, events, dispatcher)


def _never() -> bool:
    """Answer for dispatchers that are asked at every turn: those that listen, and those that wake the loop."""
    return False


def _flags(events: int) -> int:
    """Return events as `poll` names them."""
    return (select.POLLIN if events & _READ else 0) | (select.POLLOUT if events & _WRITE else 0)
