"""Messages that the next evaluation of all alerts would send: nothing is sent, no state is stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from services.alerts.config import AlertConfig
from services.alerts.evaluate import evaluate_alerts
from services.status.status import StatusCache
from storage.alerts import Alert, Alerts, KeyState
from storage.catalogue import Catalogue
from storage.deliveries import Deliveries, Delivery
from storage.installation import find_installation_id

MAX_WAITING = 500
"""Maximum number of listed messages that wait in the outbox."""


def dry_run(
    status_cache: StatusCache, config: AlertConfig, as_of: datetime | None = None
) -> list[Delivery]:
    """List the messages that wait in the outbox, the next first (at most 500, MAX_WAITING), then
    the messages that an evaluation would add.

    Comparisons that the evaluation needs are made and cached, as on a page. Raises errors of the
    store.
    """
    catalogue = status_cache.repository.catalogue
    recorder = _RecordingAlerts(catalogue)
    evaluate_alerts(status_cache, config, as_of, store=recorder)
    repositories = {alert.name: alert.repositories for alert in recorder.all()}
    waiting = [
        message
        for message in Deliveries(catalogue).waiting(MAX_WAITING)
        # A message of a repository that the alert no longer names is not published.
        if repositories.get(message.alert, {}).get(message.channel) in (None, message.receiver)
    ]
    return [*waiting, *recorder.messages]


class _RecordingAlerts(Alerts):
    """Alerts whose changes are recorded and not stored."""

    def __init__(self, catalogue: Catalogue) -> None:
        super().__init__(catalogue)
        self.messages: list[Delivery] = []

    def change_state(
        self, alert: Alert, before: KeyState, now: KeyState, messages: Sequence[Delivery]
    ) -> bool:
        """Record the messages as if the state had been changed."""
        self.messages += messages
        return True

    def begin(self, alert: Alert) -> None:
        """Store nothing."""

    def forget_states(self, name: str, prefix: str, kept: Sequence[str]) -> None:
        """Store nothing."""

    def site(self) -> str:
        """Return the id of the installation, "" if it has none yet."""
        return find_installation_id(self.catalogue)
