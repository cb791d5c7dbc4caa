"""Signed addresses: whoever has one may read what it names until it ends, without signing in.

The signature is the last part of the address, and covers everything before it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import time
from functools import lru_cache
from pathlib import Path

from schema.digits import is_whole

SIGNED = "/embed/"
"""Beginning of all signed addresses; no other address is open to its signature."""
KEY_FILE = "signing.key"
"""File of the data folder with the key of a server without the setting `secret_key`."""
_PURPOSE = b"tilescope signed addresses"


@lru_cache(maxsize=8)
def signing_key(secret_key: str, data: Path) -> bytes:
    """Return the key of a server's signatures, derived from setting `secret_key`.

    Without that setting, it is in a file of the data folder that only its owner may read, made when
    it is first needed. Raises OSError if it cannot be read or made.
    """
    secret = secret_key or _stored_secret(data / KEY_FILE)
    return hmac.digest(secret.encode(), _PURPOSE, "sha256")


def sign(key: bytes, base: str, until_s: int) -> str:
    """Return the signed address that begins with `base`, a path below SIGNED; it is valid until
    `until_s`, in seconds since 1970.
    """
    if not base.startswith(SIGNED):
        raise ValueError(f"{base} is not below {SIGNED}")
    address = f"{base}/{until_s}"
    return f"{address}/{_signature(key, address)}"


def is_signed(key: bytes, path: str) -> bool:
    """Whether a path has the signature of this key and has not ended."""
    address, _, signature = path.rpartition("/")
    until = address.rpartition("/")[2]
    expected = _signature(key, address)
    is_right = hmac.compare_digest(signature.encode("utf-8", "replace"), expected.encode())
    return is_right and is_whole(until) and time.time() < int(until)


def _signature(key: bytes, address: str) -> str:
    return hmac.digest(key, address.encode("utf-8", "replace"), hashlib.sha256).hex()


def _stored_secret(path: Path) -> str:
    """Read the secret of a file, and make the file if it is missing; of several processes that make
    it at the same time, the first determines the secret.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        own = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        descriptor = os.open(own, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32))
        try:
            os.link(own, path)  # fails if another process was first; it is never half written
        except FileExistsError:
            pass
        finally:
            own.unlink()
    return path.read_text(encoding="ascii")
