"""Servers of each mode of access, with headers of every kind of user."""

import pytest

from tests.support.access import ADMIN, EDITOR, MODES, NOBODY, VIEWER, Served
from tests.support.browser import Browser


def credentials(served, mode):
    """Return what is sent -> its headers, and whose role that is."""
    admin = served.token("admin")
    text = admin["Authorization"]
    head, _, tail = text.rpartition("_")
    other = served.token("admin")["Authorization"].rpartition("_")[2]
    bad = {
        "wrong token": {"Authorization": "Bearer tsc_aaaaaaaa_" + "a" * 48},
        "token with another one's secret": {"Authorization": f"{head}_{other}"},
        "cut token": {"Authorization": text[:-1]},
        "longer token": {"Authorization": text + "a"},
        "capital token": {"Authorization": f"{head}_{tail.upper()}"},
        "expired token": served.token("admin", expired=True),
        "revoked token": served.token("admin", revoked=True),
        "empty token": {"Authorization": "Bearer"},
        "two tokens": {"Authorization": f"{text}, {text}"},
    }
    nobody = NOBODY if mode != "none" else ADMIN
    people = {
        "nobody": ({}, nobody),
        "basic": ({"Authorization": "Basic YTpi"}, nobody),
        "another header": ({"Remote-User": "carol", "X-Forwarded-Email": "carol"}, nobody),
        "an unknown session": ({"Cookie": "tilescope-session=abc"}, nobody),
        "a session that is over": (served.session("carol", hours=-1), nobody),
        "read": (served.token("read"), VIEWER),
        "write": (served.token("write"), EDITOR),
        "admin": ({"Authorization": text.replace("Bearer", "bearer")}, ADMIN),
    }
    if mode == "proxy":
        named = {name: {"X-Forwarded-User": name} for name in ("alice", "bob", "carol")}
        people |= {
            "alice": (named["alice"], VIEWER),
            "bob": (named["bob"], EDITOR),
            "carol": (named["carol"], ADMIN),
        }
        people |= {"carol's session": (served.session("carol"), NOBODY)}
    if mode == "oidc":
        signed = {"alice": VIEWER, "bob": EDITOR, "carol": ADMIN}
        people |= {name: (served.session(name), role) for name, role in signed.items()}
        people |= {"the header of a proxy": ({"X-Forwarded-User": "carol"}, NOBODY)}
    return {name: (headers, NOBODY) for name, headers in bad.items()} | people


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    """A server of each mode, and what is sent to it."""
    made = {
        mode: Served(tmp_path_factory.mktemp(mode), **settings) for mode, settings in MODES.items()
    }
    return {mode: (served, credentials(served, mode)) for mode, served in made.items()}


PEOPLE = {"editors": "bob@example.org", "admins": "carol@example.org"}


@pytest.fixture(scope="module")
def settings(sign_in):
    return MODES["oidc"] | PEOPLE | {"oidc_issuer": sign_in}


@pytest.fixture(scope="module")
def served(settings, tmp_path_factory):
    return Served(tmp_path_factory.mktemp("oidc"), **settings)


@pytest.fixture
def browser(served):
    return Browser(served)
