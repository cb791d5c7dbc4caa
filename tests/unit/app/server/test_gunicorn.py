import socket

import pytest

from app.config.settings import OPEN_TO_ALL, ConfigurationError, load_settings
from app.server import gunicorn
from app.server.gunicorn import GunicornServer, gunicorn_options, serve_forever
from app.server.worker import BufferingWorker
from tests.support.ports import free_port


def test_the_settings_reach_gunicorn(tmp_path):
    settings = load_settings(
        data=tmp_path, host="::1", port=1234, workers=3, threads=5, timeout_s=7
    )
    server = GunicornServer(settings)
    assert server.cfg.bind == ["[::1]:1234"]
    assert (server.cfg.workers, server.cfg.threads, server.cfg.timeout) == (3, 5, 7)
    assert server.cfg.worker_class is BufferingWorker
    assert server.cfg.control_socket_disable is True
    assert not server.cfg.preload_app


def test_every_option_is_one_of_gunicorns(tmp_path):
    assert set(gunicorn_options(load_settings(data=tmp_path))) <= set(
        GunicornServer(load_settings()).cfg.settings
    )


def test_an_address_that_is_taken_is_one_sentence(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigurationError, match=rf" 127\.0\.0\.1:{port}: "):
            serve_forever(load_settings(data=tmp_path, port=port))


def test_an_unknown_host_is_one_sentence(tmp_path):
    with pytest.raises(ConfigurationError, match=r" no-such-host\.invalid\b"):
        serve_forever(load_settings(data=tmp_path, host="no-such-host.invalid"))


@pytest.mark.parametrize(("host", "warned"), [("0.0.0.0", True), ("127.0.0.1", False)])  # noqa: S104 - nothing listens
def test_a_server_that_is_open_to_all_warns_at_its_start(
    tmp_path, monkeypatch, capsys, host, warned
):
    monkeypatch.setattr(GunicornServer, "run", lambda _: None)
    monkeypatch.setattr(gunicorn, "configure", lambda _: None)
    serve_forever(load_settings(data=tmp_path, host=host, port=free_port()))
    assert (OPEN_TO_ALL in capsys.readouterr().err) == warned
