"""The server: gunicorn, several processes of several threads."""

from __future__ import annotations

import gc
import itertools
import os
import socket
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger

from app.config.settings import OPEN_TO_ALL, ConfigurationError, Settings
from app.server.extras import check_extras
from app.server.logs import configure
from app.server.routes.received import uploads
from app.server.shared_counts import COUNTS
from app.server.worker import BufferingWorker
from data_loaders.reading.scratch import sweep

if TYPE_CHECKING:
    from flask import Flask

    from app.context import AppContext
    from app.server.render.lanes import Lanes
    from app.server.render.rendering import Rendering
    from services.alerts.loop import AlertLoops


_ALERTS_END_S = 5.0
"""Seconds that a process waits at its end for messages that are being sent."""


_MEMORY_FOLDER = "/dev/shm"  # noqa: S108 - gunicorn unlinks its file at once
"""Where gunicorn has the empty files of its heartbeat: a parent that cannot make one for a new process ends."""
_TABLES_PER_WORKER = 2
"""Tables of counters for each worker: while a worker ends, the process that replaces it has a number of its own."""


class GunicornServer(BaseApplication):  # type: ignore[misc]
    """Gunicorn with the options of the settings; each process makes its own application and database handle."""

    lanes: Lanes
    alerts: AlertLoops | None = None

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        super().__init__()

    def load_config(self) -> None:
        """Set gunicorn's options."""
        for key, value in gunicorn_options(self.settings).items():
            self.cfg.set(key, value)

    def load(self) -> Flask:
        """Return the WSGI application of this process."""
        # After the fork: threads and handles do not survive one.
        from app.server import backups  # noqa: PLC0415
        from app.server.apart import watch  # noqa: PLC0415
        from app.server.factory import RENDERING, create_app  # noqa: PLC0415
        from app.server.judging import JudgingRounds  # noqa: PLC0415
        from app.server.pages import EXTENSION  # noqa: PLC0415
        from services.alerts.loop import AlertLoops  # noqa: PLC0415
        from services.lab.process import prepare_strategies  # noqa: PLC0415

        server = create_app(self.settings).server
        gc.freeze()  # modules never become garbage: a full collection that walks them takes a tenth of a second
        rendering: Rendering = server.extensions[RENDERING]
        self.lanes = rendering.lanes
        context: AppContext = server.extensions[EXTENSION]
        context.readers.use_template()
        rendering.start()
        context.repository.catalogue.hold_space()
        context.jobs.watch()
        if self.settings.alert_every_s:
            self.alerts = AlertLoops(context.status, self.settings.alert_config(), self.settings.alert_every_s)
            self.alerts.start()
        if self.settings.backup_plan().every_s:
            watch("backups", partial(backups.take_round, self.settings, context.repository.catalogue))
        watch("judging", JudgingRounds(self.settings, context.repository.catalogue).take_round)
        prepare_strategies()
        return server  # type: ignore[no-any-return]


def gunicorn_options(settings: Settings) -> dict[str, Any]:
    """Return gunicorn's options; processes are renewed now and then, so that nothing that leaks piles up."""
    return {
        "bind": _address(settings.host, settings.port),
        "workers": settings.workers,
        "threads": settings.threads,
        "worker_class": BufferingWorker,
        "timeout": settings.timeout_s,
        "max_requests": 5000,
        "max_requests_jitter": 500,
        "control_socket_disable": True,
        "worker_tmp_dir": _MEMORY_FOLDER if os.access(_MEMORY_FOLDER, os.W_OK) else None,
        "loglevel": "warning",
        "logger_class": _ServerLog,
        "pre_fork": _give_place,
        "post_fork": _use_place,
        "worker_exit": _end_alerts,
    }


class _ServerLog(Logger):  # type: ignore[misc]
    """Gunicorn's log in the server's own format."""

    def setup(self, cfg: Any) -> None:  # noqa: ANN401 - gunicorn's own
        super().setup(cfg)
        self.error_log.handlers = []
        self.error_log.propagate = True


def _give_place(arbiter: Any, worker: Any) -> None:  # noqa: ANN401 - gunicorn's own
    """Give a process the lowest number that is free: it continues the counters of the process that it replaces."""
    taken = {getattr(other, "place", None) for other in arbiter.WORKERS.values()}
    worker.place = next(number for number in itertools.count() if number not in taken)


def _use_place(_arbiter: Any, worker: Any) -> None:  # noqa: ANN401 - gunicorn's own
    """Let a new process count in the table of its number."""
    COUNTS.use_table(worker.place)


def _end_alerts(_arbiter: Any, worker: Any) -> None:  # noqa: ANN401 - gunicorn's own
    """Let messages that are being sent arrive: one that is cut off is sent again by another process."""
    alerts: AlertLoops | None = getattr(worker.app, "alerts", None)
    if alerts is not None:
        alerts.close(_ALERTS_END_S)


def serve_forever(settings: Settings) -> None:
    """Serve until a signal comes; raises ConfigurationError where the address cannot be used."""
    check_extras(settings)
    _check_address(settings.host, settings.port)
    settings.catalogue().create()
    sweep(uploads(settings.data), whole=True)
    sweep()
    if settings.is_open:
        click.echo(f"Warning: {OPEN_TO_ALL} Setting `auth` changes that.", err=True)
    click.echo(f"Tilescope is at http://{_address(settings.host, settings.port)} (Ctrl-C ends it)")
    configure(settings.log_format)
    COUNTS.reserve(_TABLES_PER_WORKER * settings.workers)
    GunicornServer(settings).run()


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _check_address(host: str, port: int) -> None:
    """Fail at once and in one sentence, where gunicorn would try for seconds and log."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise ConfigurationError(f"cannot listen on {_address(host, port)}: {error.strerror or error}") from error
