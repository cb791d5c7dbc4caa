"""Event loop of a process's connections: the cost of a turn does not depend on idle connections.

The loop of waitress polls every connection at every turn and accepts one new connection per turn:
with 1,000 connections `/healthz` waited for seconds.
"""

from __future__ import annotations

import select
import selectors

from waitress import wasyncore

_READ, _WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class _Connections(dict[int, wasyncore.dispatcher]):
    """Dispatchers by file descriptor; waitress adds and removes them."""

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

    `unsettled` are the descriptors of dispatchers whose wanted events are checked at the next turn.
    A dispatcher leaves the set once its method `settle` returns True. It returns with its next
    event, or when it is added to `connections` again.
    """

    def __init__(self) -> None:
        self.unsettled: set[int] = set()
        self.connections = _Connections(self)
        self._selector = selectors.DefaultSelector()

    def turn(self, timeout_s: float) -> None:
        """Wait for events of the connections, for at most `timeout_s` seconds, and handle them."""
        checked: set[int] = set()
        while new := self.unsettled - checked:  # a check may add another dispatcher
            for number in new:
                self._check_events(number)
            checked |= new
        for key, events in self._selector.select(timeout_s):
            dispatcher = self.connections.get(key.fd)
            if dispatcher is key.data:  # else another event of this turn closed it
                self.unsettled.add(key.fd)
                wasyncore.readwrite(dispatcher, _flags(events))

    def forget(self, number: int) -> None:
        """Stop waiting for events of a descriptor that is about to be closed; an unknown descriptor
        is ignored.
        """
        self.unsettled.discard(number)
        if number in self._selector.get_map():
            self._selector.unregister(number)

    def close(self) -> None:
        """Close the descriptor of the loop itself."""
        self._selector.close()

    def _check_events(self, number: int) -> None:
        """Update the events that the loop waits for on a descriptor."""
        dispatcher = self.connections.get(number)
        if dispatcher is None:
            self.unsettled.discard(number)
            return
        # Before its events are read: a thread may end a request in between, so that the connection
        # would no longer be checked, and its events would be those of the request.
        is_settled = getattr(dispatcher, "settle", _never)()
        events = _READ if dispatcher.readable() else 0
        if dispatcher.writable() and not dispatcher.accepting:
            events |= _WRITE
        self._watch_events(number, events, dispatcher)
        if is_settled:
            self.unsettled.discard(number)

    def _watch_events(self, number: int, events: int, dispatcher: wasyncore.dispatcher) -> None:
        """Register, change or remove a descriptor in the selector so that it waits for `events`."""
        before = self._selector.get_map().get(number)
        if before is None:
            if events:
                self._selector.register(number, events, dispatcher)
        elif not events:
            self._selector.unregister(number)
        elif before.events != events or before.data is not dispatcher:
            self._selector.modify(number, events, dispatcher)


def _never() -> bool:
    """Return False, in place of the method `settle` of dispatchers without it, such as listeners
    and wake-up pipes.
    """
    return False


def _flags(events: int) -> int:
    """Convert events of `selectors` to flags of `poll`: POLLIN for reading, POLLOUT for writing, 0
    for no event.
    """
    return (select.POLLIN if events & _READ else 0) | (select.POLLOUT if events & _WRITE else 0)
