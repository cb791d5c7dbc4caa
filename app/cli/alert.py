"""Command `alert`: messages about changes of the status."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import click

from app.cli.common import operator, printable, with_settings
from app.cli.records import command_errors
from schema.plurals import plural

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from app.config.settings import Settings
    from services.alerts.config import AlertConfig
    from services.alerts.previewed_messages import PreviewedMessage
    from services.status.status import StatusCache

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def alert() -> None:
    """Set alerts, send the messages that are due, and list sent messages."""


@alert.command("set")
@with_settings
@click.argument("name")
@click.option("--rule", required=True, help="Name of the baseline rule whose verdicts are sent.")
@click.option(
    "--webhook",
    metavar="URL",
    help="Address that receives signed JSON; its host must be in setting alert_hosts.",
)
@click.option("--slack", metavar="URL", help="Address that receives a Slack message.")
@click.option(
    "--mail", metavar="ADDRESS", multiple=True, help="Address that receives mail; repeatable."
)
@click.option(
    "--github",
    metavar="OWNER/NAME",
    help="Repository on GitHub that gets comments and issues; needs setting github_token.",
)
@click.option(
    "--gitlab",
    metavar="PATH",
    help="Project on GitLab that gets comments and issues; needs setting gitlab_token.",
)
@click.option(
    "--posts", metavar="KINDS", help="Posts in the repository: pull_request,issue (default: both)."
)
@click.option(
    "--on",
    metavar="EVENTS",
    help="Events to send: regressed,recovered,no_data (default: the first two).",
)
@click.option(
    "--no-data-days",
    type=float,
    default=7.0,
    help="Days without a run of a key after which no_data is sent.",
)
def set_command(
    settings: Settings,
    *,
    name: str,
    rule: str,
    webhook: str | None,
    slack: str | None,
    mail: tuple[str, ...],
    github: str | None,
    gitlab: str | None,
    posts: str | None,
    on: str | None,
    no_data_days: float,
) -> None:
    """Set alert NAME; an alert of this name is replaced.

    The present state is only recorded; messages start with the next change.
    """
    from schema.code_hosts import POSTS
    from services.alerts.errors import AlertError
    from services.alerts.manage import DEFAULT_EVENTS, parse_events, parse_posts, set_alert
    from services.baselines.members import BaselineError
    from storage.alerts import Alert

    with command_errors(AlertError, BaselineError):
        receivers = {"webhook": webhook, "slack": slack, "github": github, "gitlab": gitlab}
        for option, receiver in receivers.items():
            if receiver is not None and not receiver.strip():
                kind = "repository" if option in ("github", "gitlab") else "address"
                raise AlertError(f"--{option} has no {kind}")
        events = DEFAULT_EVENTS if on is None else parse_events(on)
        wanted = Alert(
            name.strip(),
            rule,
            webhook or "",
            slack or "",
            mail,
            events,
            no_data_days,
            github=(github or "").strip(),
            gitlab=(gitlab or "").strip(),
            posts=parse_posts(",".join(POSTS) if posts is None else posts),
        )
        set_alert(settings.catalogue(), wanted, settings.alert_config(), operator())


@alert.command("list")
@with_settings
@_JSON
def list_command(settings: Settings, *, as_json: bool) -> None:
    """List the alerts; only the hosts of their addresses are printed."""
    from schema.code_hosts import repository_texts
    from services.alerts.manage import alert_record
    from storage.alerts import Alerts

    config = settings.alert_config()
    records = [alert_record(record, config) for record in Alerts(settings.catalogue()).all()]
    if as_json:
        click.echo(json.dumps(records, indent=2))
        return
    for record in records:
        channels = [f"{name} {record[name]}" for name in ("webhook", "slack") if record[name]]
        channels += [f"mail {address}" for address in record["mail"]]
        channels += repository_texts(record)
        events = ",".join(record["on"])
        text = f"{record['name']}  rule {record['rule']}  on {events}  {', '.join(channels)}"
        click.echo(printable(text))


@alert.command("log")
@with_settings
@_JSON
def log_command(settings: Settings, *, as_json: bool) -> None:
    """List the newest messages: waiting, sent, or given up (dead)."""
    from storage.deliveries import Deliveries

    log = Deliveries(settings.catalogue()).log()
    if as_json:
        click.echo(json.dumps([delivery.record() for delivery in log], indent=2))
        return
    for delivery in log:
        message = (
            f"{delivery.delivery_id}  {delivery.created_at}  {delivery.alert}  {delivery.event}"
        )
        receiver = f"{delivery.channel} {delivery.receiver}"
        result = f"{delivery.state}  {delivery.attempts}  {delivery.error}"
        click.echo(printable(f"{message}  {receiver}  {result}".rstrip()))


@alert.command("test")
@with_settings
@click.argument("name")
@click.option(
    "--dry-run", is_flag=True, help="Print the messages that would be sent, and send none."
)
def test_command(settings: Settings, name: str, *, dry_run: bool) -> None:
    """Send a test through every channel of alert NAME, once; the exit code is 0 if all messages
    were delivered. On GitHub and GitLab a test only reads the repository.
    """
    from services.alerts.deliver import send_test
    from storage.audit import Audit

    if dry_run:
        _print_preview(settings, name)
        return

    catalogue = settings.catalogue()
    tried = send_test(catalogue, settings.alert_config(), name)
    Audit(catalogue).add(operator(), "alert.test", name)
    failed = "; ".join(delivery.error for delivery in tried if delivery.error)
    if failed:
        raise click.ClickException(f"not delivered: {failed}")
    click.echo("delivered")


def _print_preview(settings: Settings, name: str) -> None:
    """Print the messages that a test would send."""
    from services.alerts.preview import preview_messages
    from services.baselines.members import BaselineError
    from services.status.status import StatusCache
    from storage.alerts import Alerts

    repository = settings.repository()
    wanted = Alerts(repository.catalogue).get(name)
    with command_errors(BaselineError):
        status_cache = StatusCache(repository, commit_url=settings.commit_url)
        messages = preview_messages(status_cache, wanted, settings.alert_config(), math.inf)
    _print_messages(messages)


def _print_messages(messages: Sequence[PreviewedMessage]) -> None:
    """Print each message with its alert, channel and receiver, and without control characters."""
    for message in messages:
        click.echo(printable(f"--- alert {message.alert}, {message.receiver}"))
        for line in message.text.splitlines():
            click.echo(printable(line))
        click.echo()


@alert.command("run")
@with_settings
@click.option("--as-of", default="", metavar="TIME", help="Ignore later runs.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Print all messages that would be sent, with their content; send and store none.",
)
@_JSON
def run_command(settings: Settings, *, as_of: str, dry_run: bool, as_json: bool) -> None:
    """Evaluate every alert and send the messages that are due, once; a later call sends failed
    messages again.
    """
    from schema.moments import MomentError, parse_time
    from services.alerts.deliver import deliver_due
    from services.alerts.evaluate import evaluate_alerts
    from services.status.status import StatusCache

    with command_errors(MomentError):
        then = parse_time("--as-of", as_of)
    repository = settings.repository()
    config = settings.alert_config()
    if dry_run:
        _print_dry_run(
            StatusCache(repository, commit_url=settings.commit_url), config, then, as_json
        )
        return
    created = evaluate_alerts(StatusCache(repository, commit_url=settings.commit_url), config, then)
    sent, failed = deliver_due(repository.catalogue, config)
    counts = {"made": created, "sent": sent, "failed": failed}
    line = f"{plural(created, 'new message')}, {sent} sent, {failed} failed"
    click.echo(json.dumps(counts) if as_json else line)


def _print_dry_run(
    status_cache: StatusCache, config: AlertConfig, as_of: datetime | None, as_json: bool
) -> None:
    """Print the messages that wait, and the messages that an evaluation would add."""
    from services.alerts.dry_run import dry_run
    from services.alerts.previewed_messages import previewed_message

    messages = dry_run(status_cache, config, as_of)
    texts = [*map(previewed_message, messages)]
    if as_json:
        records = [
            {"alert": message.alert, "event": message.event, "channel": message.channel}
            | {"receiver": message.receiver, "attempts": message.attempts, "text": preview.text}
            for message, preview in zip(messages, texts, strict=True)
        ]
        click.echo(json.dumps({"messages": records}))
        return
    _print_messages(texts)
    click.echo(f"{plural(len(texts), 'message')} would be sent")


@alert.command("retry")
@with_settings
@click.argument("message", metavar="ID")
def retry_command(settings: Settings, message: str) -> None:
    """Queue message ID, which was given up, to be sent again."""
    from storage.audit import Audit
    from storage.deliveries import Deliveries

    catalogue = settings.catalogue()
    Deliveries(catalogue).retry(message)
    Audit(catalogue).add(operator(), "alert.retry", message)


@alert.command("delete")
@with_settings
@click.argument("name")
def delete_command(settings: Settings, name: str) -> None:
    """Delete alert NAME and its waiting messages."""
    from services.alerts.manage import delete_alert

    delete_alert(settings.catalogue(), name, operator())
