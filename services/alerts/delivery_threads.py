"""Threads that send the messages of the outbox: their number is limited, also per receiver."""

from __future__ import annotations

import logging
import math
import secrets
import threading
from collections import Counter, defaultdict, deque
from collections.abc import Mapping

from schema.code_hosts import CODE_HOSTS
from services.alerts.addresses import shown_place
from services.alerts.attempts import attempt, lease_s, next_pause_s
from services.alerts.config import AlertConfig
from storage.alerts import Alert, Alerts
from storage.catalogue import Catalogue
from storage.clock import seconds_since
from storage.deliveries import Deliveries, DueMessage
from storage.delivery_leases import postpone

MAX_THREADS = 8
"""Maximum number of attempts in progress."""
MAX_PER_RECEIVER = 2
"""Maximum number of threads for one receiver: the host of a webhook, or the mail server."""
_MAX_LIMITED_S = 7 * 86_400.0
"""Age of a message in seconds from which attempts that a rate limit ends are counted."""
_LOG = logging.getLogger(__name__)


class DeliveryThreads:
    """Sender of due messages, each on a separate thread, so that a receiver that hangs delays no
    other receiver.

    `sent` and `failed` count attempts. A thread leases its message for longer than an attempt
    takes: if the process is killed, another process sends the message afterwards with the same id.
    """

    def __init__(self, catalogue: Catalogue, config: AlertConfig) -> None:
        self.sent = 0
        self.failed = 0
        self._catalogue = catalogue
        self._outbox = Deliveries(catalogue)
        self._alerts = Alerts(catalogue)
        self._config = config
        self._owner = secrets.token_hex(16)
        self._lock = threading.Condition()
        self._has_ended = threading.Event()
        self._in_progress: dict[str, str] = {}  # id of a message -> its receiver
        self._last_begun: dict[str, int] = {}  # receiver -> number of its last attempt
        self._begun = 0
        self._is_closed = False
        self._error: Exception | None = None

    def begin_due(self, until: float = math.inf) -> int:
        """Begin attempts while messages are due and threads are free; return the number of all
        attempts in progress, 0 if no message is due.

        Messages that became due after `until` (see `Deliveries.now`) wait. Raises errors of the
        store, also if they occurred on a thread since the last call.
        """
        self._has_ended.clear()
        self._raise_error()
        due = self._outbox.due(MAX_PER_RECEIVER, until)
        alerts = {alert.name: alert for alert in self._alerts.all()} if due else {}
        queues: dict[str, deque[str]] = defaultdict(deque)
        for message in due:
            queues[_receiver(message, alerts, self._config)].append(message.delivery_id)
        with self._lock:
            self._begin_fairly(queues)
            return len(self._in_progress)

    def wait_for_end(self, timeout_s: float | None = None) -> None:
        """Wait until an attempt has ended since the last call of `begin_due`, the threads were
        closed, or `timeout_s` has passed (`None`: no limit); which of these is not reported.
        """
        self._has_ended.wait(timeout_s)

    def close(self, within_s: float) -> bool:
        """Begin no further attempts and wait for those in progress; return whether all ended within
        `within_s` seconds.

        The message of an attempt that continues stays leased: another process sends it when the
        lease ends.
        """
        with self._lock:
            self._is_closed = True
            self._has_ended.set()
            return self._lock.wait_for(lambda: not self._in_progress, within_s)

    def _begin_fairly(self, queues: Mapping[str, deque[str]]) -> None:
        """Give free threads to the receivers with the fewest attempts in progress; among equal
        receivers to the receiver that was served longest ago.
        """
        receivers = {*queues, *self._in_progress.values()}
        self._last_begun = {name: self._last_begun.get(name, 0) for name in receivers}
        while not self._is_closed and len(self._in_progress) < MAX_THREADS:
            shares = Counter(self._in_progress.values())
            free = [name for name, queue in queues.items() if queue and shares[name] < _share(name)]
            if not free:
                return
            receiver = min(free, key=lambda name: (shares[name], self._last_begun[name]))
            message_id = queues[receiver].popleft()
            if message_id not in self._in_progress:
                self._begin(message_id, receiver)

    def _begin(self, message_id: str, receiver: str) -> None:
        # A daemon: a process that ends waits as long as `close` says, not until the timeout of a
        # receiver that hangs.
        threading.Thread(target=self._run, args=(message_id,), name="delivery", daemon=True).start()
        self._begun += 1
        self._last_begun[receiver] = self._begun
        self._in_progress[message_id] = receiver

    def _run(self, message_id: str) -> None:
        try:
            self._deliver(message_id)
        # `begin_due` raises the error on the thread of its caller, who can handle it
        except Exception as error:
            self._error = error
        finally:
            with self._lock:
                del self._in_progress[message_id]
                self._lock.notify_all()
            self._has_ended.set()

    def _deliver(self, message_id: str) -> None:
        message = self._outbox.claim(message_id, self._owner, lease_s(self._config))
        if message is None:
            return  # another process was quicker
        error, wait_s = attempt(self._config, self._alerts.find(message.alert), message)
        if error:
            _LOG.warning(
                "alert %r: message %s was not delivered: %s",
                message.alert,
                message.delivery_id,
                error,
            )
        pause_s = next_pause_s(self._config, message.attempts + 1)
        is_counted = wait_s is None or seconds_since(message.created_at) > _MAX_LIMITED_S
        if wait_s is not None:
            # A limit is no failure of the message, unless a server limits it for days.
            wait_s = max(wait_s, self._config.retry_s)
            pause_s = wait_s if pause_s is not None or not is_counted else None
            postpone(self._catalogue, message.channel, wait_s)
        self._outbox.finish(message, self._owner, error, pause_s, is_counted=is_counted)
        with self._lock:
            self.sent += not error
            self.failed += bool(error)

    def _raise_error(self) -> None:
        error = self._error
        self._error = None
        if error is not None:
            raise error


def _share(receiver: str) -> int:
    """Return the maximum number of threads for a receiver; a single message of a repository can be
    leased at a time.
    """
    return 1 if receiver.partition(" ")[0] in CODE_HOSTS else MAX_PER_RECEIVER


def _receiver(message: DueMessage, alerts: Mapping[str, Alert], config: AlertConfig) -> str:
    """Return a name of the server that a message is sent to: host and port of its webhook, or
    channel and repository; for all mail, or if the alert was deleted, the name of the channel.
    """
    alert = alerts.get(message.alert)
    if alert is not None and message.channel in CODE_HOSTS:
        return f"{message.channel} {alert.repositories.get(message.channel, '').lower()}"
    if message.channel == "mail" or alert is None:
        return message.channel
    return shown_place(alert.slack if message.channel == "slack" else alert.webhook, config.hosts)
