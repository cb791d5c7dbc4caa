"""What a turn of the loop costs: operations on connections, counted, with real sockets."""

import socket
from contextlib import ExitStack
from types import SimpleNamespace

import pytest
from waitress import wasyncore
from waitress.task import ThreadedTaskDispatcher

from app.config.settings import Settings
from app.server.connections import MAX_CONNECTIONS, Channel, Listener
from app.server.event_loop import EventLoop

PATIENCE_S = 60
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


def application(_environ, start_response):
    start_response("200 OK", [("Content-Length", "2")])
    return [b"ok"]


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """A server in this process: its loop, a function that opens connections, and how often any of them was asked."""
    loop, threads, asked = EventLoop(), ThreadedTaskDispatcher(), []
    threads.set_thread_count(1)
    for name in ("readable", "writable"):
        ask = getattr(Channel, name)
        monkeypatch.setattr(
            Channel, name, lambda channel, ask=ask: asked.append(channel) or ask(channel)
        )
    with socket.create_server(("127.0.0.1", 0), backlog=4096) as listener, ExitStack() as stack:
        info = (listener.family, listener.type, listener.proto, listener.getsockname())
        named = {"_sock": listener, "dispatcher": threads, "sockinfo": info, "bind_socket": False}
        settings = Settings(data=tmp_path, client_timeout_s=600)
        server = Listener(
            settings, application, loop.connections, slow=threads, is_slow=lambda *_: False, **named
        )
        stack.callback(loop.close)
        stack.callback(server.trigger.close)
        stack.callback(threads.shutdown)
        stack.callback(wasyncore.close_all, loop.connections)

        def connect(count):
            clients = []
            for _ in range(count):
                clients.append(
                    stack.enter_context(
                        socket.create_connection(listener.getsockname(), PATIENCE_S)
                    )
                )
                turn_until(loop, lambda: clients[-1].getsockname() in addresses(server))
            return clients

        yield SimpleNamespace(loop=loop, server=server, connect=connect, asked=asked)


def addresses(server):
    return {channel.addr for channel in server.active_channels.values()}


def turn_until(loop, is_done):
    """Take turns of the loop until something is done."""
    turns = 0
    while not is_done():
        loop.turn(0.05)
        turns += 1
        assert turns < 1000
    return turns


def healthy(opened, client):
    """Ask for the health and return how often connections were asked meanwhile."""
    opened.asked.clear()
    client.sendall(HEALTH)
    client.setblocking(False)

    def is_answered():
        try:
            return b"ok" in client.recv(2**12)
        except BlockingIOError:
            return False

    turn_until(opened.loop, is_answered)
    client.settimeout(PATIENCE_S)
    return len(opened.asked)


@pytest.mark.parametrize("idle", [1, 100, 400])
def test_idle_connections_are_not_asked(opened, idle):
    opened.connect(idle)
    (client,) = opened.connect(1)
    turn_until(opened.loop, lambda: len(opened.loop.unsettled) == 2)
    assert healthy(opened, client) < 30
    turn_until(
        opened.loop, lambda: len(opened.loop.unsettled) == 2
    )  # the listener and what wakes the loop
    opened.asked.clear()
    opened.loop.turn(0)
    assert opened.asked == []


def test_a_connection_that_trickles_costs_itself(opened):
    clients = opened.connect(100)
    turn_until(opened.loop, lambda: len(opened.loop.unsettled) == 2)
    opened.asked.clear()
    for byte in HEALTH[:20]:
        clients[0].sendall(bytes([byte]))
        opened.loop.turn(0.05)
    assert {channel.addr for channel in opened.asked} <= {clients[0].getsockname()}


@pytest.mark.slow
def test_the_connection_that_was_idle_for_longest_gives_way(opened):
    clients = opened.connect(MAX_CONNECTIONS)
    for client in clients[:3]:
        healthy(opened, client)
    opened.connect(4)
    alive = addresses(opened.server)
    assert len(alive) == MAX_CONNECTIONS
    assert all(client.getsockname() in alive for client in (*clients[:3], *clients[7:]))
    assert not any(client.getsockname() in alive for client in clients[3:7])


def test_a_connection_whose_response_is_sent_does_not_give_way(opened, monkeypatch):
    monkeypatch.setattr("app.server.connections.MAX_CONNECTIONS", 3)
    clients = opened.connect(3)
    turn_until(opened.loop, lambda: len(opened.loop.unsettled) == 2)
    next(iter(opened.server.active_channels.values())).total_outbufs_len = 5
    clients += opened.connect(1)
    closed = clients[1].getsockname()
    assert addresses(opened.server) == {client.getsockname() for client in clients} - {closed}


@pytest.mark.slow
def test_a_new_connection_costs_the_same_however_many_are_open(opened):
    costs = []
    for count in (1, MAX_CONNECTIONS, 100):
        opened.asked.clear()
        opened.connect(count)
        costs.append(len(opened.asked) / count)
    assert max(costs) < 10


def test_what_takes_too_long_is_closed_though_nothing_happens_on_it(opened):
    (client,) = opened.connect(1)
    turn_until(opened.loop, lambda: len(opened.loop.unsettled) == 2)
    (channel,) = opened.server.active_channels.values()
    opened.server.maintenance(channel.last_activity + 601)
    turn_until(opened.loop, lambda: not opened.server.active_channels)
    assert client.recv(1) == b""
    assert set(opened.loop.connections) == opened.loop.unsettled


def test_a_descriptor_that_is_used_again_is_another_connection(opened):
    for _ in range(20):
        (client,) = opened.connect(1)
        assert healthy(opened, client) < 30
        client.close()
        turn_until(opened.loop, lambda: not opened.server.active_channels)


def test_a_connection_whose_response_ends_while_it_is_asked_receives_further_requests(
    opened, monkeypatch
):
    (client,) = opened.connect(1)
    turn_until(opened.loop, lambda: len(opened.loop.unsettled) == 2)
    (channel,) = opened.server.active_channels.values()
    ask = Channel.writable

    def end_response(asked):
        # As the thread of the request does, between the two questions of the loop.
        if asked is channel:
            channel._is_serving, channel.total_outbufs_len = False, 0
        return ask(asked)

    monkeypatch.setattr(Channel, "writable", end_response)
    channel._is_serving, channel.total_outbufs_len = True, 5
    opened.loop.unsettled.add(channel.socket.fileno())
    opened.loop.turn(0)
    assert healthy(opened, client)
