"""Which hosts messages may go to."""

import re
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.alerts.addresses import parse_hosts, parse_target, permitted_addresses
from services.alerts.errors import AlertError


def resolving(*addresses):
    return lambda _name, _port, _within_s: addresses


def permitted(url, hosts, *addresses):
    return permitted_addresses(parse_target(url, hosts), hosts, 1.0, resolving(*addresses))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "notaurl",
        "file:///etc/passwd",
        "ftp://hooks.example.org/x",
        "http://user@hooks.example.org/",
        "http://hooks.example.org@other.org/",
        "http://other.org/",
        "http://hooks.example.org:99999/",
        "http://hooks.example.org\\@other.org/",
        "http://hooks.example.org/a b",
        "http://hooks.example.org/\r\nX: y",
        "http:///x",
        "http://[::1",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://127.1/",
        "http://[fe80::1%25eth0]/",
    ],
)
def test_an_address_that_is_not_of_a_listed_host_is_refused(url):
    with pytest.raises(AlertError):
        parse_target(url, "hooks.example.org,127.0.0.0/8")


def test_no_host_is_permitted_where_none_is_listed():
    with pytest.raises(AlertError, match="alert_hosts"):
        parse_target("https://hooks.example.org/", "")


@pytest.mark.parametrize(
    ("hosts", "url", "is_permitted"),
    [
        ("hooks.example.org", "https://HOOKS.example.org./x", True),
        ("hooks.example.org:8443", "https://hooks.example.org:8443/x", True),
        ("hooks.example.org:8443", "https://hooks.example.org/x", False),
        ("10.2.0.0/16", "http://10.2.3.4:9000/", True),
        ("10.2.0.0/16", "http://10.3.3.4/", False),
        ("127.0.0.1:9000", "http://127.0.0.1:9000/", True),
        ("127.0.0.1:9000", "http://127.0.0.1:9001/", False),
        ("::1", "http://[::1]/", True),
        ("[::1]:9000", "http://[::1]:9000/", True),
        ("[::1]:9000", "http://[::1]:9001/", False),
    ],
)
def test_an_entry_lists_a_host_of_any_port_or_of_one(hosts, url, is_permitted):
    if is_permitted:
        assert parse_target(url, hosts).place
        return
    with pytest.raises(AlertError):
        parse_target(url, hosts)


@pytest.mark.parametrize(
    "text", ["a b", "host:0", "host:99999", "host:x", "10.0.0.1/8", "host:", "http://host/x"]
)
def test_what_is_no_host_is_no_entry(text):
    with pytest.raises(ValueError, match=re.escape(repr(text))):
        parse_hosts(text)


def test_a_name_may_lead_to_public_addresses_alone_unless_they_are_listed():
    url = "http://hooks.example.org/"
    assert permitted(url, "hooks.example.org", "93.184.215.14") == ["93.184.215.14"]
    assert permitted(url, "hooks.example.org,10.0.0.0/8", "10.1.1.1") == ["10.1.1.1"]
    with pytest.raises(AlertError):
        permitted(url, "hooks.example.org", "93.184.215.14", "10.1.1.1")
    with pytest.raises(AlertError):
        permitted(url, "hooks.example.org,10.1.1.1:9000", "10.1.1.1")
    with pytest.raises(AlertError):
        permitted(url, "hooks.example.org")


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "0.0.0.1",
        "224.0.0.1",
        "::",
        "::1",
        "fc00::1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
    ],
)
def test_a_name_that_leads_inside_is_refused(address):
    with pytest.raises(AlertError):
        permitted("http://hooks.example.org/", "hooks.example.org", address)


def test_the_place_where_clouds_keep_credentials_is_never_asked():
    with pytest.raises(AlertError, match="link-local"):
        permitted(
            "http://hooks.example.org/", "hooks.example.org,169.254.0.0/16", "169.254.169.254"
        )


@pytest.mark.parametrize("name", ["no-such-host.invalid", "a" * 70 + ".example.org"])
def test_a_name_without_an_address_is_refused(name):
    with pytest.raises(AlertError, match="no address"):
        permitted_addresses(parse_target(f"http://{name}/", name), name, 30.0)


def test_a_name_of_this_machine_is_resolved_and_only_asked_where_its_address_is_listed():
    target = parse_target("http://localhost/", "localhost")
    assert "127.0.0.1" in permitted_addresses(target, "localhost,127.0.0.1,::1", 30.0)
    with pytest.raises(AlertError):
        permitted_addresses(target, "localhost", 30.0)


@given(st.integers(0, 2**16 - 1), st.sampled_from(["{}", "::ffff:{}", "64:ff9b::{}"]))
def test_a_link_local_address_is_never_asked(low, form):
    address = form.format(IPv4Address((169 << 24) | (254 << 16) | low))
    with pytest.raises(AlertError):
        permitted(f"http://[{address}]/" if ":" in address else f"http://{address}/", address)
    with pytest.raises(AlertError):
        permitted("http://hooks.example.org/", f"hooks.example.org,{address}", address)


@given(
    st.one_of(
        st.integers(0, 2**32 - 1).map(IPv4Address), st.integers(0, 2**128 - 1).map(IPv6Address)
    )
)
def test_an_address_is_permitted_for_a_name_only_where_it_is_public(address):
    try:
        found = permitted("http://hooks.example.org/", "hooks.example.org", str(address))
    except AlertError:
        return
    assert [ip_address(one) for one in found] == [address]
    assert address.is_global and not address.is_link_local and not address.is_multicast


@given(st.text(max_size=60))
def test_any_text_as_address_is_permitted_or_refused_in_a_sentence(text):
    for url in (text, f"http://{text}", f"http://127.0.0.1{text}"):
        try:
            target = parse_target(url, "127.0.0.1:9000")
        except AlertError:
            continue
        assert (target.host, target.port) == ("127.0.0.1", 9000)
        assert target.path.startswith(("/", "?"))
