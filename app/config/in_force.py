"""List of the settings in force for operators, without secrets."""

from __future__ import annotations

from pathlib import Path

from app.config.settings import Settings, embedded_urls
from services.store.overview import SettingInForce


def settings_in_force(settings: Settings) -> list[SettingInForce]:
    """List every setting in the order of the class, with its value as text and whether it is the
    default.

    A secret has "set" or "not set" instead of its value; addresses lose password and query values.
    """
    listed = []
    # The setting is absolute, so its default must be made absolute before they are compared.
    data = Path(Settings.model_fields["data"].default).absolute()
    defaults = {name: info.default for name, info in Settings.model_fields.items()}
    defaults |= {"data": data, **embedded_urls(settings.data)}
    for name, info in Settings.model_fields.items():
        value = getattr(settings, name)
        text = "" if value is None else str(value)
        shown = ("set" if text else "not set") if info.repr is False else without_secrets(text)
        listed.append(SettingInForce(name, shown, is_default=value == defaults[name]))
    return listed


def without_secrets(text: str) -> str:
    """Replace the password and the query values of an address `SCHEME://...` by `..`; other texts
    are unchanged.
    """
    scheme, is_address, rest = text.partition("://")
    if not is_address:
        return text
    address, mark, query = rest.partition("?")
    # A database's address may have its password in the query as well.
    names = "&".join(f"{part.partition('=')[0]}=.." for part in query.split("&"))
    # From the right, because a password may contain an unescaped @.
    signed_in, at, place = address.rpartition("@")
    user, colon, _ = signed_in.partition(":")
    return f"{scheme}://{user}{':..' if colon else ''}{at}{place}{f'?{names}' if mark else ''}"
