"""A simple allocator: places each buffer in turn at its lowest free address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Request:
    """A request for memory: `size` bytes at a multiple of `alignment`, during half-open `spans`."""

    size: int
    spans: tuple[tuple[int, int], ...]
    alignment: int = 1

    def meets(self, other: Request) -> bool:
        """Whether both requests are alive at the same step."""
        return any(a < d and c < b for a, b in self.spans for c, d in other.spans)


def lowest_fit(
    requests: Sequence[Request], order: Sequence[int], capacity: int | None = None
) -> list[int | None]:
    """Place the requests in `order` (positions in `requests`), each at its lowest free address;
    return an address per request, in the order of `requests`.

    The addresses of the first request that does not fit into `capacity` and of all later requests
    are None.
    """
    addresses: list[int | None] = [None] * len(requests)
    placed: list[tuple[int, Request]] = []
    for rank in order:
        request = requests[rank]
        address = _lowest(request, placed)
        if capacity is not None and address + request.size > capacity:
            break
        addresses[rank] = address
        placed.append((address, request))
    return addresses


def stacked_fit(requests: Sequence[Request], order: Sequence[int]) -> list[int | None]:
    """Place the requests in `order`, each above all placed requests alive at the same time.

    Returns the addresses; unlike `lowest_fit` it never fills a gap.
    """
    addresses: list[int | None] = [None] * len(requests)
    for rank in order:
        met = [
            low + other.size
            for low, other in zip(addresses, requests, strict=True)
            if low is not None and other.meets(requests[rank])
        ]
        addresses[rank] = max(met, default=0)
    return addresses


def _lowest(request: Request, placed: Sequence[tuple[int, Request]]) -> int:
    """Return the lowest aligned address that no placed request uses at the same time."""
    taken = sorted(
        (address, address + other.size) for address, other in placed if other.meets(request)
    )
    address = 0
    for low, high in taken:
        if address + request.size <= low:
            break
        address = max(address, -(-high // request.alignment) * request.alignment)
    return address
