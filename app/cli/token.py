"""Command `token`: tokens of the HTTP API."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from app.cli.common import operator, with_settings
from app.cli.records import command_errors

if TYPE_CHECKING:
    from app.config.settings import Settings


@click.group()
def token() -> None:
    """Create, list and revoke tokens of the HTTP API."""


@token.command()
@with_settings
@click.option(
    "--scope",
    type=click.Choice(["read", "write", "admin"]),
    required=True,
    help="Scope of the token.",
)
@click.option("--name", required=True, help="Purpose of the token; the audit log shows it.")
@click.option(
    "--expires",
    default="",
    metavar="AGE",
    help="Time until it expires, such as 30d (default: never).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the token as JSON.")
def create(settings: Settings, scope: str, name: str, expires: str, as_json: bool) -> None:
    """Create a token and print its text, which is never shown again."""
    from services.store.tokens import TokenError, make_token
    from storage.audit import Audit

    catalogue = settings.catalogue()
    with command_errors(TokenError):
        new, text = make_token(catalogue, name, scope, operator(), expires)
    Audit(catalogue).add(operator(), "token.create", new.token_id, f"{scope}: {name}")
    if as_json:
        own = {
            "id": new.token_id,
            "name": new.name,
            "scope": scope,
            "token": text,
            "expires_at": new.expires_at,
        }
        click.echo(json.dumps(own))
    else:
        click.echo(text)
        until = f" until {new.expires_at}" if new.expires_at else ""
        # On stderr, so that stdout has only the token.
        click.echo(
            f"Token {new.token_id} ({scope}){until}; its text cannot be shown again.", err=True
        )


@token.command("list")
@with_settings
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def list_tokens(settings: Settings, as_json: bool) -> None:
    """List the tokens, newest first, without their texts."""
    from storage.tokens import Tokens

    tokens = Tokens(settings.catalogue()).all()
    if as_json:
        names = ("name", "scope", "created_at", "created_by", "expires_at", "used_at", "revoked_at")
        records = []
        for item in tokens:
            records.append({"id": item.token_id, **{name: getattr(item, name) for name in names}})
        click.echo(json.dumps(records))
        return
    for item in tokens:
        state = "revoked" if item.revoked_at else "expired"
        state = "valid" if item.is_valid else state
        click.echo(
            f"{item.token_id}  {item.scope:5}  {state:7}  used {item.used_at or 'never':24}  {item.name}"
        )
    if not tokens:
        click.echo("No tokens.")


@token.command()
@with_settings
@click.argument("token_id", metavar="ID")
def revoke(settings: Settings, token_id: str) -> None:
    """Revoke a token."""
    from storage.audit import Audit
    from storage.tokens import Tokens

    catalogue = settings.catalogue()
    if not catalogue.is_created() or not Tokens(catalogue).revoke(token_id):
        raise click.ClickException(f"there is no valid token {token_id!r}")
    Audit(catalogue).add(operator(), "token.revoke", token_id)
    click.echo(f"revoked {token_id}")
