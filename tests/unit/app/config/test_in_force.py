"""Settings in force: every one, and none with a secret."""

import pytest

from app.config.in_force import settings_in_force, without_secrets
from app.config.settings import Settings


def test_secrets_are_set_or_not_set(tmp_path):
    settings = Settings(
        data=tmp_path,
        alert_secret="hush" * 8,
        github_token="hush" * 8,
        gitlab_token="hush" * 8,
        database_url="postgresql://me:hush@db/x?password=hush",
    )
    found = {one.name: one for one in settings_in_force(settings)}
    assert found.keys() == Settings.model_fields.keys()
    assert "hush" not in str(found)
    assert (found["alert_secret"].value, found["secret_key"].value) == ("set", "not set")
    assert [name for name, one in found.items() if not one.is_default] == [
        "alert_secret",
        "github_token",
        "gitlab_token",
        "data",
        "database_url",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("sqlite:////srv/data/catalogue.db", "sqlite:////srv/data/catalogue.db"),
        ("s3://bucket/prefix", "s3://bucket/prefix"),
        (
            "postgresql+psycopg://me:p@ss/w@db/x?sslmode=on&password=y",
            "postgresql+psycopg://me:..@db/x?sslmode=..&password=..",
        ),
        ("postgresql://me@db/x", "postgresql://me@db/x"),
        ("nothing: of an address", "nothing: of an address"),
    ],
)
def test_addresses_lose_password_and_values(text, shown):
    assert without_secrets(text) == shown
