"""Alerts in both kinds of catalogue: a change and its messages are one, a message is sent by one process."""

from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import update

from services.alerts.config import AlertConfig
from services.alerts.deliver import deliver_due
from storage.alert_tables import ALERTS, DELIVERIES
from storage.alerts import Alert, Alerts, KeyState
from storage.catalogue import Catalogue
from storage.deliveries import (
    DEAD,
    SENT,
    Deliveries,
    Delivery,
    insert_deliveries,
    new_delivery_id,
)
from storage.delivery_leases import WAITING
from storage.errors import AlertNotFound
from tests.support.code_host_messages import COMMIT, config_of, pull
from tests.support.code_host_server import serving
from tests.support.races import at_once
from tests.support.receivers import receiving
from tests.support.waiting import wait_until

ALERT = Alert(
    "team", "nightly", "http://hooks.example.org/secret", events=("regressed",), has_begun=True
)


@pytest.fixture
def database(new_database):
    return new_database()


@pytest.fixture
def catalogue(database):
    opened = Catalogue(database)
    opened.create()
    yield opened
    opened.close()


@pytest.fixture
def alerts(catalogue):
    store = Alerts(catalogue)
    store.set(ALERT)
    return store


def message():
    payload = {"key": {"hwid": "a"}}
    return Delivery(new_delivery_id(), "team", "regressed", "webhook", "hooks.example.org", payload)


def put(alerts, count=1):
    given = [message() for _ in range(count)]
    assert alerts.change_state(ALERT, KeyState("s", "well"), KeyState("s", "regressed"), given)
    return given


def due_ids(outbox):
    return [one.delivery_id for one in outbox.due(100)]


def test_an_alert_is_kept_and_its_address_is_in_no_text_of_it(alerts):
    assert alerts.get("team").webhook == ALERT.webhook
    assert "secret" not in repr(alerts.get("team"))
    with pytest.raises(AlertNotFound):
        alerts.get("other")


def test_another_rule_begins_anew(alerts):
    put(alerts)
    alerts.begin(ALERT)
    alerts.set(ALERT)
    assert alerts.get("team").has_begun and alerts.states("team")
    alerts.set(Alert("team", "weekly"))
    assert not alerts.get("team").has_begun and not alerts.states("team")


def test_of_many_processes_one_records_a_change_with_its_messages(alerts, catalogue):
    before, now = KeyState("s", "well"), KeyState("s", "regressed")
    won = at_once(
        *(partial(alerts.change_state, ALERT, before, now, [message()]) for _ in range(4))
    )
    assert sorted(won) == [False] * 3 + [True]
    first = alerts.states("team")["s"]
    won = at_once(
        *(partial(alerts.change_state, ALERT, first, before, [message()]) for _ in range(4))
    )
    assert sorted(won) == [False] * 3 + [True]
    assert len(Deliveries(catalogue).log()) == 2


def test_an_older_view_of_a_key_changes_nothing_after_it_came_back(alerts):
    put(alerts)
    old = alerts.states("team")["s"]
    assert alerts.change_state(ALERT, old, KeyState("s", "well"), [])
    now = alerts.states("team")["s"]
    assert alerts.change_state(ALERT, now, KeyState("s", "regressed"), [])
    assert not alerts.change_state(ALERT, old, KeyState("s", "well"), [message()])


def test_one_of_many_processes_takes_a_message(alerts, catalogue):
    outbox, (given,) = Deliveries(catalogue), put(alerts)
    taken = at_once(
        *(partial(outbox.claim, given.delivery_id, f"p{number}", 60.0) for number in range(6))
    )
    assert sum(one is not None for one in taken) == 1
    assert due_ids(outbox) == []


def test_a_lease_that_ran_out_gives_the_same_message_to_another_process(alerts, catalogue):
    outbox, (given,) = Deliveries(catalogue), put(alerts)
    first = outbox.claim(given.delivery_id, "killed", 60.0)
    with catalogue.begin() as connection:
        connection.execute(update(DELIVERIES).values(leased_until=0.0))
    again = outbox.claim(given.delivery_id, "other", 60.0)
    assert (again.delivery_id, again.payload) == (first.delivery_id, first.payload)
    assert not outbox.finish(first, "killed", "", None)
    assert outbox.finish(again, "other", "", None)
    assert [(one.state, one.attempts) for one in outbox.log()] == [(SENT, 1)]


def test_a_message_waits_for_its_next_attempt_and_is_given_up_after_the_last(alerts, catalogue):
    outbox, (given,) = Deliveries(catalogue), put(alerts)
    outbox.finish(outbox.claim(given.delivery_id, "p", 60.0), "p", "status 500", 3_600.0)
    assert due_ids(outbox) == [] and outbox.log()[0].state == WAITING
    with catalogue.begin() as connection:
        connection.execute(update(DELIVERIES).values(due=0.0))
    outbox.finish(outbox.claim(given.delivery_id, "p", 60.0), "p", "status 500", None)
    assert (outbox.log()[0].state, outbox.log()[0].attempts) == (DEAD, 2)
    outbox.retry(given.delivery_id)
    assert due_ids(outbox) == [given.delivery_id]
    with pytest.raises(AlertNotFound):
        outbox.retry(given.delivery_id)


def test_a_long_queue_of_a_channel_hides_no_other(alerts, catalogue):
    alerts.set(replace(ALERT, name="other"))
    many = [message() for _ in range(20)]
    few = [replace(message(), alert="other"), replace(message(), channel="mail")]
    with catalogue.begin() as connection:
        insert_deliveries(connection, many + few)
    due = Deliveries(catalogue).due(2)
    assert [(one.alert, one.channel) for one in due].count(("team", "webhook")) == 2
    assert {one.delivery_id for one in few} < {one.delivery_id for one in due}


def test_messages_that_become_due_later_are_left_out(alerts, catalogue):
    outbox, (given,) = Deliveries(catalogue), put(alerts)
    before = outbox.now()
    assert [one.delivery_id for one in outbox.due(1, before)] == [given.delivery_id]
    outbox.finish(outbox.claim(given.delivery_id, "p", 60.0), "p", "status 500", 0.001)
    assert outbox.due(1, before) == []


@pytest.mark.quick_every(2)
def test_two_servers_send_each_message_once(alerts, catalogue, database):
    with receiving() as receiver:
        alerts.set(replace(ALERT, webhook=f"http://{receiver.host}/"))
        put(alerts, 30)
        config = AlertConfig("127.0.0.1", "0123456789abcdef")
        other = Catalogue(database)
        counts = at_once(*(partial(deliver_due, one, config) for one in (catalogue, other)))
        other.close()
        assert sum(sent for sent, _ in counts) == len(receiver.got) == 30
        assert len({headers["Tilescope-Delivery"] for _, headers, _ in receiver.got}) == 30


def test_a_deleted_alert_sends_nothing_more(alerts, catalogue):
    put(alerts)
    alerts.delete("team")
    assert due_ids(Deliveries(catalogue)) == [] and alerts.all() == []
    assert not alerts.change_state(
        ALERT, KeyState("t", "well"), KeyState("t", "regressed"), [message()]
    )


def test_one_of_many_servers_has_the_turn(alerts):
    assert sorted(at_once(*(partial(alerts.take_turn, 3_600.0) for _ in range(4)))) == [
        False
    ] * 3 + [True]
    assert not alerts.take_turn(3_600.0)


def of_repository(name, channel="github"):
    return replace(message(), channel=channel, receiver=name)


def test_one_message_of_a_repository_is_leased_at_a_time(alerts, catalogue):
    first, second = of_repository("team/kernels"), of_repository("Team/Kernels")
    others = [of_repository("team/other"), of_repository("team/kernels", "gitlab")]
    with catalogue.begin() as connection:
        insert_deliveries(connection, [first, second, *others])
    outbox = Deliveries(catalogue)
    assert outbox.claim(first.delivery_id, "p", 60.0)
    assert outbox.claim(second.delivery_id, "q", 60.0) is None
    # They are ordered by the second of their creation, which can be another for each.
    assert {*due_ids(outbox)} == {other.delivery_id for other in others}
    assert all(outbox.claim(other.delivery_id, "q", 60.0) for other in others)
    outbox.finish(first, "p", "", None)
    assert due_ids(outbox) == [second.delivery_id]
    assert outbox.claim(second.delivery_id, "q", 60.0)


def test_of_many_servers_one_leases_a_message_of_a_repository(alerts, catalogue):
    given = [of_repository("team/kernels") for _ in range(4)]
    with catalogue.begin() as connection:
        insert_deliveries(connection, given)
    outbox = Deliveries(catalogue)
    claims = at_once(*(partial(outbox.claim, one.delivery_id, "p", 60.0) for one in given))
    assert sum(claim is not None for claim in claims) <= 1
    # the lock was created by several at once, which then lease nothing
    again = [outbox.claim(one.delivery_id, "p", 60.0) for one in given]
    assert sum(claim is not None for claim in [*claims, *again]) == 1


def test_an_attempt_that_is_not_counted_uses_up_none(alerts, catalogue):
    outbox, (given,) = Deliveries(catalogue), put(alerts)
    claimed = outbox.claim(given.delivery_id, "p", 60.0)
    assert outbox.finish(claimed, "p", "limited", 0.0, is_counted=False)
    claimed = outbox.claim(given.delivery_id, "p", 60.0)
    assert claimed.attempts == 0
    outbox.finish(claimed, "p", "status 500", 0.0)
    assert outbox.claim(given.delivery_id, "p", 60.0).attempts == 1


def test_an_alert_has_its_repositories(alerts):
    alerts.set(replace(ALERT, github="team/kernels", posts=("issue",)))
    found = alerts.get("team")
    assert (found.repositories, [*found.posts]) == ({"github": "team/kernels"}, ["issue"])
    alerts.set(replace(ALERT, github="", gitlab="a/b/c"))
    assert alerts.get("team").repositories == {"gitlab": "a/b/c"}


def test_an_alert_of_an_older_release_has_no_repository(alerts, catalogue):
    with catalogue.begin() as connection:
        connection.execute(update(ALERTS).values(github=None, gitlab=None, posts=None))
    found = alerts.get("team")
    assert (found.github, found.gitlab, [*found.posts]) == ("", "", [])


@pytest.mark.slow
def test_two_servers_post_one_comment_with_the_newest_run(alerts, catalogue, database):
    with serving("github") as server:
        server.repository.pulls = {3: ("open", [COMMIT])}
        config = config_of(server, "github")
        alerts.set(replace(ALERT, github="team/kernels", posts=("pull_request",)))
        payloads = [pull(day=day, seen=day, value=1.0 + day / 8) for day in (3, 1, 5, 2, 4)]
        given = [replace(of_repository("team/kernels"), payload=payload) for payload in payloads]
        with catalogue.begin() as connection:
            insert_deliveries(connection, given)
        other = Catalogue(database)

        def deliver_all(store):
            wait_until(
                lambda: deliver_due(store, config) and not Deliveries(store).counts()[WAITING]
            )

        at_once(*(partial(deliver_all, store) for store in (catalogue, other)))
        other.close()
        assert {message.state for message in Deliveries(catalogue).log()} == {SENT}
        [body] = server.repository.bodies(3)
        assert "`1.625 GMAC/s`" in body
