"""Messages to receivers that hang, on real sockets, beside messages to receivers that answer."""

import threading
from contextlib import ExitStack

import pytest

from services.alerts.config import AlertConfig
from services.alerts.deliver import deliver_due, new_deliveries
from services.alerts.delivery_threads import MAX_PER_RECEIVER, MAX_THREADS, DeliveryThreads
from services.alerts.messages import check_payload
from storage.alerts import Alert, Alerts, KeyState
from storage.deliveries import SENT, WAITING, Deliveries
from storage.errors import StorageError
from tests.support.receivers import holding, receiving
from tests.support.waiting import wait_until

SECRET = "0123456789abcdef"  # noqa: S105 - of this test alone
LONG = 60.0
CONFIG = AlertConfig("127.0.0.1", SECRET, timeout_s=LONG, retry_s=0.01, attempts=3)


@pytest.fixture
def threads(store):
    made = DeliveryThreads(store, CONFIG)
    yield made
    made.close(0.0)


def put_messages(store, name, count, config=CONFIG, **channels):
    """Put so many messages of a new alert into the outbox."""
    alerts = Alerts(store)
    alerts.set(Alert(name, "nightly", **channels))
    alert = alerts.get(name)
    for number in range(count):
        messages = new_deliveries(alert, "test", check_payload(alert, "now", ""), config)
        series = f"{name} {number}"
        assert alerts.change_state(
            alert, KeyState(series, "well"), KeyState(series, "regressed"), messages
        )


def hook(server):
    return {"webhook": f"http://{server.host}/"}


def send_until(threads, is_done):
    """Send as the loop does, until something holds."""
    for _ in range(1_000):
        threads.begin_due()
        if is_done():
            return
        threads.wait_for_end(0.1)
    raise AssertionError("it never came to hold")


def wait_for_number_in_progress(threads, count):
    """Send as the loop does, until so many attempts are in progress.

    An attempt is in progress for a moment after the outbox reports its message as sent.
    """
    wait_until(lambda: threads.begin_due() == count)


def states(store, name):
    return [one.state for one in Deliveries(store).log() if one.alert == name]


@pytest.mark.slow
def test_a_webhook_that_hangs_delays_no_other_receiver_and_has_its_share_of_threads(store, threads):
    with holding() as silent, receiving() as receiver:
        put_messages(store, "hangs", 10, **hook(silent))
        put_messages(store, "team", 5, **hook(receiver))
        send_until(threads, lambda: states(store, "team") == [SENT] * 5)
        silent.wait_for(MAX_PER_RECEIVER)
        assert len(receiver.got) == 5
        wait_for_number_in_progress(threads, MAX_PER_RECEIVER)
        assert silent.count() == MAX_PER_RECEIVER
        assert states(store, "hangs") == [WAITING] * 10


@pytest.mark.slow
def test_a_mail_server_that_hangs_delays_no_webhook_and_has_its_share_of_threads(store):
    with holding() as silent, receiving() as receiver:
        config = AlertConfig(
            "127.0.0.1",
            SECRET,
            timeout_s=LONG,
            smtp_url=f"smtp://{silent.host}",
            smtp_from="tiles@example.org",
        )
        threads = DeliveryThreads(store, config)
        put_messages(store, "hangs", 2, config, mail=["ann@example.org", "bob@example.org"])
        put_messages(store, "hangs too", 2, config, mail=["eve@example.org"])
        put_messages(store, "team", 3, config, **hook(receiver))
        send_until(threads, lambda: states(store, "team") == [SENT] * 3)
        silent.wait_for(MAX_PER_RECEIVER)
        wait_for_number_in_progress(threads, MAX_PER_RECEIVER)
        assert silent.count() == MAX_PER_RECEIVER
        threads.close(0.0)


def test_alerts_of_one_host_share_its_threads(store, threads):
    with holding() as silent:
        for number in range(MAX_THREADS):
            put_messages(store, f"hangs {number}", 1, webhook=f"http://{silent.host}/{number}")
        put_messages(store, "hangs as slack", 1, slack=f"http://{silent.host}/slack")
        assert threads.begin_due() == MAX_PER_RECEIVER


def test_the_number_of_threads_is_limited_whatever_hangs(store, threads):
    others = set(threading.enumerate())  # threads of earlier tests may still be ending
    with ExitStack() as stack:
        silent = [stack.enter_context(holding()) for _ in range(MAX_THREADS)]
        for number, server in enumerate(silent):
            put_messages(store, f"hangs {number}", 3, **hook(server))
        assert threads.begin_due() == MAX_THREADS
        for server in silent:
            server.wait_for(1)
        assert threads.begin_due() == MAX_THREADS
        names = [thread.name for thread in set(threading.enumerate()) - others]
        assert names.count("delivery") == MAX_THREADS


@pytest.mark.slow
def test_a_free_thread_goes_to_the_receiver_that_was_served_longest_ago(store, threads):
    with ExitStack() as stack:
        silent = [stack.enter_context(holding()) for _ in range(MAX_THREADS)]
        for number, server in enumerate(silent):
            put_messages(store, f"hangs {number}", 30, **hook(server))
        assert threads.begin_due() == MAX_THREADS
        receiver = stack.enter_context(receiving())
        put_messages(store, "team", 1, **hook(receiver))
        silent[0].close()  # its attempts fail, and its next messages are due at once
        send_until(threads, lambda: states(store, "team") == [SENT])


@pytest.mark.slow
def test_a_command_attempts_each_message_once(store):
    with receiving() as receiver:
        receiver.plan = [500] * 20
        put_messages(store, "team", 12, **hook(receiver))
        assert deliver_due(store, CONFIG) == (0, 12)
        assert (
            len({headers["Tilescope-Delivery"] for _, headers, _ in receiver.got})
            == len(receiver.got)
            == 12
        )


def test_closing_waits_for_messages_that_are_being_sent_and_begins_no_other(store, threads):
    with receiving() as receiver:
        receiver.gate = threading.Event()
        put_messages(store, "team", 5, **hook(receiver))
        assert threads.begin_due() == MAX_PER_RECEIVER
        receiver.wait_for_messages(MAX_PER_RECEIVER)
        assert not threads.close(0.0)
        receiver.gate.set()
        assert threads.close(LONG)
        assert threads.begin_due() == 0
        assert sorted(states(store, "team")) == [SENT] * MAX_PER_RECEIVER + [WAITING] * 3


def test_the_message_of_a_receiver_that_hangs_stays_leased_when_the_threads_are_closed(
    store, threads
):
    with holding() as silent:
        put_messages(store, "hangs", 1, **hook(silent))
        threads.begin_due()
        silent.wait_for(1)
        assert not threads.close(0.0)
        assert deliver_due(store, CONFIG) == (0, 0)
        assert silent.count() == 1


def test_a_store_that_fails_on_a_thread_is_told_to_the_loop(store, threads, monkeypatch):
    with receiving() as receiver:
        put_messages(store, "team", 1, **hook(receiver))

        def fail(*_given):
            raise StorageError("the catalogue is gone")

        monkeypatch.setattr(Deliveries, "claim", fail)
        assert threads.begin_due() == 1
        assert threads.close(LONG)
        with pytest.raises(StorageError):
            threads.begin_due()
        assert receiver.got == []
