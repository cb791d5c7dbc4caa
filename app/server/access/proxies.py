"""What is believed of reverse proxies: by the address that connects, never by what a header says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from ipaddress import ip_address
from typing import Any

from app.config.access_settings import Network

PEER = "tilescope.peer"
"""Address that connected, in the environment of a request."""
TRUSTED = "tilescope.trusted"
"""Whether it is a trusted proxy."""
_LONGEST = 64
Environ = dict[str, Any]
Wsgi = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


def behind(proxies: Sequence[Network], application: Wsgi) -> Wsgi:
    """Return the application that knows clients and scheme as trusted proxies tell them."""

    def answer(environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        peer = str(environ.get("REMOTE_ADDR") or "")
        trusted = is_in(peer, proxies)
        environ |= {PEER: peer, TRUSTED: trusted}
        if trusted:
            _believe(environ)
        return application(environ, start_response)

    return answer


def is_in(address: str, networks: Sequence[Network]) -> bool:
    """Return whether an address lies in one of the networks."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None) or found
    return any(mapped in network for network in networks)


def last_of(header: str) -> str:
    """Return the last part of a list, which is the one that the proxy itself wrote."""
    return header.rpartition(",")[2].strip()[:_LONGEST]


def _believe(environ: Environ) -> None:
    """Take over the client's address, the last that the proxy wrote, and the scheme that the client used."""
    client = last_of(str(environ.get("HTTP_X_FORWARDED_FOR", "")))
    if client:
        environ["REMOTE_ADDR"] = client
    scheme = last_of(str(environ.get("HTTP_X_FORWARDED_PROTO", "")))
    if scheme in ("http", "https"):
        environ["wsgi.url_scheme"] = scheme
