"""Alerts over the API, for admins: channels, tests and deliveries.

Of addresses only hosts are shown.
"""

from __future__ import annotations

from flask import Response, jsonify
from pydantic import BaseModel, Field

from app.request.errors import request_errors
from app.request.user import current_user
from app.server.api.operation import ApiServer, Body, Operation
from schema.code_hosts import POSTS
from schema.roles import Role
from services.alerts.addresses import MAX_URL_CHARACTERS
from services.alerts.code_hosts.hosts import MAX_REPOSITORY
from services.alerts.deliver import send_test
from services.alerts.errors import AlertError
from services.alerts.manage import (
    DEFAULT_EVENTS,
    EVENTS,
    MAX_MAILBOXES,
    alert_record,
    delete_alert,
    parse_events,
    parse_posts,
    set_alert,
)
from services.baselines.members import BaselineError
from storage.alerts import Alert, Alerts
from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.deliveries import Deliveries
from storage.errors import AlertNotFound

_ONE = "/alerts/<text:name>"


class NewAlert(Body):
    """Rule, events and receivers of an alert; `webhook` and `slack` must be addresses of hosts in
    setting `alert_hosts`. `github` and `gitlab` are repositories, `posts` the kinds of posts there.
    """

    rule: str
    webhook: str = Field("", max_length=MAX_URL_CHARACTERS)
    slack: str = Field("", max_length=MAX_URL_CHARACTERS)
    mail: list[str] = Field([], max_length=MAX_MAILBOXES)
    github: str = Field("", max_length=MAX_REPOSITORY)
    gitlab: str = Field("", max_length=MAX_REPOSITORY)
    posts: list[str] = Field([*POSTS], max_length=len(POSTS))
    on: list[str] = Field([*DEFAULT_EVENTS], max_length=len(EVENTS))
    no_data_days: float = 7.0


class ListedAlerts(BaseModel):
    """The alerts by name; addresses of receivers are reduced to their hosts."""

    alerts: list[dict[str, object]]


class ListedDeliveries(BaseModel):
    """The newest messages first."""

    deliveries: list[dict[str, object]]


def _list_alerts(server: ApiServer) -> Response:
    config = server.context.settings.alert_config()
    return jsonify(
        {"alerts": [alert_record(alert, config) for alert in Alerts(_catalogue(server)).all()]}
    )


def _set_alert(server: ApiServer, name: str, body: NewAlert) -> Response:
    with request_errors(422, AlertError, BaselineError):
        events = parse_events(",".join(body.on))
        wanted = Alert(
            name,
            body.rule,
            body.webhook,
            body.slack,
            body.mail,
            events,
            body.no_data_days,
            github=body.github,
            gitlab=body.gitlab,
            posts=parse_posts(",".join(body.posts)),
        )
        set_alert(
            _catalogue(server), wanted, server.context.settings.alert_config(), current_user().name
        )
    return Response(status=204)


def _delete_alert(server: ApiServer, name: str) -> Response:
    with request_errors(404, AlertNotFound):
        delete_alert(_catalogue(server), name, current_user().name)
    return Response(status=204)


def _test_alert(server: ApiServer, name: str) -> Response:
    with request_errors(404, AlertNotFound):
        tried = send_test(_catalogue(server), server.context.settings.alert_config(), name)
    Audit(_catalogue(server)).add(current_user().name, "alert.test", name)
    return jsonify({"deliveries": [delivery.record() for delivery in tried]})


def _list_deliveries(server: ApiServer) -> Response:
    return jsonify(
        {"deliveries": [delivery.record() for delivery in Deliveries(_catalogue(server)).log()]}
    )


def _retry_delivery(server: ApiServer, delivery_id: str) -> Response:
    with request_errors(404, AlertNotFound):
        Deliveries(_catalogue(server)).retry(delivery_id)
    Audit(_catalogue(server)).add(current_user().name, "alert.retry", delivery_id)
    return Response(status=204)


def _catalogue(server: ApiServer) -> Catalogue:
    return server.context.repository.catalogue


LIST_ALERTS = Operation(
    "GET",
    "/alerts",
    "listAlerts",
    "List the alerts; addresses are shortened to their hosts.",
    _list_alerts,
    {200: ListedAlerts},
    role=Role.ADMIN,
)
SET_ALERT = Operation(
    "PUT",
    _ONE,
    "setAlert",
    "Create an alert or replace the alert of this name.",
    _set_alert,
    {204: None},
    body=NewAlert,
    role=Role.ADMIN,
)
DELETE_ALERT = Operation(
    "DELETE",
    _ONE,
    "deleteAlert",
    "Delete an alert and its waiting messages.",
    _delete_alert,
    {204: None},
    role=Role.ADMIN,
)
TEST_ALERT = Operation(
    "POST",
    f"{_ONE}/test",
    "testAlert",
    "Send a test through every channel of an alert, once.",
    _test_alert,
    {200: ListedDeliveries},
    role=Role.ADMIN,
)
LIST_DELIVERIES = Operation(
    "GET",
    "/deliveries",
    "listDeliveries",
    "List the newest messages of alerts: waiting, sent, or given up (dead).",
    _list_deliveries,
    {200: ListedDeliveries},
    role=Role.ADMIN,
)
RETRY_DELIVERY = Operation(
    "POST",
    "/deliveries/<delivery_id>/retry",
    "retryDelivery",
    "Queue a message that was given up to be sent again.",
    _retry_delivery,
    {204: None},
    role=Role.ADMIN,
)
