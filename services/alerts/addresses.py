"""Hosts that messages may be sent to: setting `alert_hosts`, and the addresses that its names
resolve to.

The addresses of a listed name must be public, unless they are listed themselves. Link-local
addresses, at which clouds serve credentials, are always refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from services.alerts.errors import AlertError
from services.alerts.resolve import resolve_name

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int, float], Sequence[str]]
"""Function that resolves (name, port, maximum seconds) to addresses as text."""
MAX_URL_CHARACTERS = 2_000
"""Maximum characters of the address of a webhook."""
_PORTS = {"http": 80, "https": 443}
_TRANSLATED = ip_network("64:ff9b::/96")
"""Prefix of IPv6 addresses that NAT64 translates to IPv4 (RFC 6052)."""


@dataclass(frozen=True)
class HostEntry:
    """An entry of setting `alert_hosts`: a name or a network, optionally with a port."""

    host: str | IPv4Network | IPv6Network
    port: int | None = None

    def has_name(self, name: str, port: int) -> bool:
        """Whether the entry is this name, and has this port or no port; False if it is a network."""
        return self.host == name and self.port in (None, port)

    def has_address(self, address: Address, port: int) -> bool:
        """Whether the entry is a network that contains this address, and has this port or no port;
        False if it is a name.
        """
        return not isinstance(self.host, str) and address in self.host and self.port in (None, port)


@dataclass(frozen=True)
class Target:
    """Destination of a message: the parts of a permitted address. `path` can be a secret."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def place(self) -> str:
        """Host and port, such as `example.org:8080`; without the port if it is the scheme's
        default, an IPv6 address in brackets. Only these are shown to users.
        """
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def parse_hosts(text: str) -> list[HostEntry]:
    """Parse setting `alert_hosts`, entries separated by commas, in their order; empty for "".

    Raises ValueError if an entry is invalid.
    """
    return [_entry(part.strip()) for part in text.split(",") if part.strip()]


def parse_target(url: str, hosts: str) -> Target:
    """Parse the address of a webhook. Raises AlertError if it is invalid or its host is not listed
    in `hosts`, the setting `alert_hosts`. No name is resolved.
    """
    entries = parse_hosts(hosts)
    if not entries:
        raise AlertError("no host is allowed: list the allowed hosts in setting alert_hosts")
    target = _target(url)
    address = _parse_address(target.host)
    listed = (
        any(entry.has_name(target.host, target.port) for entry in entries)
        if address is None
        else _is_listed(address, target.port, entries)
    )
    if not listed:
        raise AlertError(f"host {target.place[:200]} is not listed in setting alert_hosts")
    return target


def permitted_addresses(
    target: Target, hosts: str, within_s: float, resolve: Resolve | None = None
) -> list[str]:
    """Resolve the host of a target and return its IP addresses as texts without repeats, in the
    resolver's order.

    A listed name may only have addresses that are public or listed. Raises AlertError if an address
    is not permitted, or if the name has no address within `within_s` seconds.
    """
    entries = parse_hosts(hosts)
    is_name = _parse_address(target.host) is None
    addresses = (
        (resolve or resolve_name)(target.host, target.port, within_s) if is_name else [target.host]
    )
    if not addresses:
        raise AlertError(f"host {target.place} has no address")
    for text in addresses:
        address = ip_address(text)
        if _is_link_local(address):
            raise AlertError(
                f"host {target.place} has a link-local address, which is never allowed"
            )
        # the owner of a listed name could let it resolve to an address of the internal network
        if not _is_listed(address, target.port, entries) and not (is_name and _is_public(address)):
            raise AlertError(
                f"host {target.place} has an address that is not public and not listed in alert_hosts"
            )
    return list(dict.fromkeys(addresses))


def shown_place(url: str, hosts: str) -> str:
    """Return host and port of an address to show them, or a sentence that the host is not listed
    (also for an invalid address); the rest of the address is a secret.
    """
    try:
        return parse_target(url, hosts).place
    except AlertError:
        return "a host that is not listed in alert_hosts"


def _target(url: str) -> Target:
    if (
        not url
        or len(url) > MAX_URL_CHARACTERS
        or not url.isascii()
        or not url.isprintable()
        or set(url) & set(' \\"<>')
    ):
        raise AlertError(
            f"an address must have 1 to {MAX_URL_CHARACTERS} printable ASCII characters, without spaces"
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise AlertError("the address is not valid") from error
    if parts.scheme not in _PORTS:
        raise AlertError("an address must begin with http:// or https://")
    if "@" in parts.netloc:
        raise AlertError("an address must not contain a user or a password")
    host = (parts.hostname or "").rstrip(".")
    if not host or "%" in host or port == 0:
        raise AlertError("the address has no host")
    return Target(parts.scheme, host, port or _PORTS[parts.scheme], _path(parts))


def _path(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _entry(text: str) -> HostEntry:
    network = _parse_network(text)
    if network is not None:
        return HostEntry(network)
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, ""
    if (
        (port or colon)
        and not text.endswith("]")
        and not (port.isascii() and port.isdigit() and 0 < int(port) < 2**16)
    ):
        raise ValueError(f"{text[:80]!r} has a port outside of 1 to 65535")
    host = host.removeprefix("[").removesuffix("]")
    number = int(port) if port else None
    network = _parse_network(host)
    if network is not None:
        return HostEntry(network, number)
    name = host.lower().rstrip(".")
    if not name or not all(char.isascii() and (char.isalnum() or char in ".-_") for char in name):
        raise ValueError(f"{text[:80]!r} is not a host name, address or network")
    return HostEntry(name, number)


def _parse_network(text: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(text)
    except ValueError:
        return None


def _parse_address(text: str) -> Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def _is_listed(address: Address, port: int, entries: Sequence[HostEntry]) -> bool:
    return any(
        entry.has_address(form, port)
        for entry in entries
        for form in (address, *_embedded_addresses(address)[:1])
    )


def _is_link_local(address: Address) -> bool:
    return any(form.is_link_local for form in (address, *_embedded_addresses(address)))


def _is_public(address: Address) -> bool:
    # an IPv6 address can lead to a private IPv4 address, so the embedded address decides
    forms = _embedded_addresses(address) or (address,)
    return all(form.is_global and not form.is_multicast and not form.is_reserved for form in forms)


def _embedded_addresses(address: Address) -> tuple[Address, ...]:
    """Return a tuple of the IPv4 address to which an IPv6 address leads by mapping, translation or
    a tunnel; empty if there is none, or for an IPv4 address.
    """
    if isinstance(address, IPv4Address):
        return ()
    if address in _TRANSLATED:
        return (IPv4Address(int(address) & 0xFFFF_FFFF),)
    inner = (
        address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
    )
    return (inner,) if inner else ()
