"""Trust in reverse proxies, decided by the address that connects and never by a header."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from ipaddress import ip_address
from typing import Any

from app.config.access_settings import Network

PEER = "tilescope.peer"
"""Key of the WSGI environment for the address that connected."""
TRUSTED = "tilescope.trusted"
"""Key of the WSGI environment: whether that address is a trusted proxy."""
_MAX_ITEM = 64
"""Maximum number of characters of an item of a forwarding header; the rest is cut off."""
Environ = dict[str, Any]
Wsgi = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


def behind(proxies: Sequence[Network], application: Wsgi) -> Wsgi:
    """Wrap a WSGI application: if the peer is a trusted proxy, client address and scheme are taken
    from its headers.

    PEER and TRUSTED in the environment have the peer's address and whether it is trusted.
    """

    def call(environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        peer = str(environ.get("REMOTE_ADDR") or "")
        trusted = is_in(peer, proxies)
        environ |= {PEER: peer, TRUSTED: trusted}
        if trusted:
            _believe(environ)
        return application(environ, start_response)

    return call


def is_in(address: str, networks: Sequence[Network]) -> bool:
    """Whether an address is in any of the networks; False if it is no IP address. An IPv4-mapped
    IPv6 address counts as IPv4.
    """
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(ip, "ipv4_mapped", None) or ip
    return any(mapped in network for network in networks)


def last_item(header: str) -> str:
    """Return the last item of a comma-separated header, cut to 64 characters: the proxy itself
    wrote only that item. "" if the header is empty.
    """
    return header.rpartition(",")[2].strip()[:_MAX_ITEM]


def _believe(environ: Environ) -> None:
    """Set client address and scheme in `environ` from the headers of a trusted proxy; a missing or
    invalid header changes neither.
    """
    client = last_item(str(environ.get("HTTP_X_FORWARDED_FOR", "")))
    if client:
        environ["REMOTE_ADDR"] = client
    scheme = last_item(str(environ.get("HTTP_X_FORWARDED_PROTO", "")))
    if scheme in ("http", "https"):
        environ["wsgi.url_scheme"] = scheme
