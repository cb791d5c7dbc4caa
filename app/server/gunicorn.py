"""The production server: gunicorn with several processes of several threads."""

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
"""Maximum seconds that an ending process waits for messages that are being sent."""


_MEMORY_FOLDER = "/dev/shm"  # noqa: S108 - gunicorn unlinks its file at once
"""In-memory folder for gunicorn's heartbeat files.

If the file of a new process cannot be created, gunicorn's parent process ends.
"""
_TABLES_PER_WORKER = 2
"""Tables of counters per worker: while a worker ends, its replacement already has another table."""


class GunicornServer(BaseApplication):  # type: ignore[misc]
    """Gunicorn with the options of the settings; each worker creates its own application."""

    lanes: Lanes
    alerts: AlertLoops | None = None

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        super().__init__()

    def load_config(self) -> None:
        """Set gunicorn's options from the settings."""
        for key, value in gunicorn_options(self.settings).items():
            self.cfg.set(key, value)

    def load(self) -> Flask:
        """Create the WSGI application of this process and start its background threads."""
        # Imported after the fork: threads and file handles do not survive it.
        from app.server import backups, compacting  # noqa: PLC0415
        from app.server.background import watch  # noqa: PLC0415
        from app.server.factory import RENDERING, create_app  # noqa: PLC0415
        from app.server.frame_sweep import FrameSweep  # noqa: PLC0415
        from app.server.judging import JudgingRounds, create_template  # noqa: PLC0415
        from app.server.pages import EXTENSION  # noqa: PLC0415
        from app.server.render.process import LOOK_FOR_GARBAGE  # noqa: PLC0415
        from app.server.response_sweep import ResponseSweep  # noqa: PLC0415
        from app.server.tile_sweep import TileSweep  # noqa: PLC0415
        from services.alerts.loop import AlertLoops  # noqa: PLC0415
        from services.lab.process import prepare_strategies  # noqa: PLC0415

        server = create_app(self.settings).server
        # A full collection that walks all modules takes 0.1 s, and they never become garbage.
        gc.freeze()
        # The process began with the rare collections of a short command.
        gc.set_threshold(*LOOK_FOR_GARBAGE)
        rendering: Rendering = server.extensions[RENDERING]
        self.lanes = rendering.lanes
        context: AppContext = server.extensions[EXTENSION]
        context.readers.use_template()
        # Both fork this process, so they come before everything that starts a thread.
        judging = JudgingRounds(context.repository.catalogue, create_template(self.settings))
        rendering.start()
        context.repository.catalogue.hold_space()
        context.jobs.watch()
        if self.settings.alert_every_s:
            self.alerts = AlertLoops(
                context.status, self.settings.alert_config(), self.settings.alert_every_s
            )
            self.alerts.start()
        if self.settings.backup_plan().every_s:
            watch(
                "backups", partial(backups.take_round, self.settings, context.repository.catalogue)
            )
        if self.settings.compact_every_s:
            compaction = partial(compacting.take_round, self.settings, context.repository)
            watch("monthly files", compaction)
        watch("judging", judging.take_round)
        watch("tiles", TileSweep(self.settings, context.repository.catalogue).take_round)
        watch("frames", FrameSweep(self.settings, context.repository.catalogue).take_round)
        watch("pages", ResponseSweep(self.settings, context.repository.catalogue).take_round)
        prepare_strategies()
        return server  # type: ignore[no-any-return]


def gunicorn_options(settings: Settings) -> dict[str, Any]:
    """Return gunicorn's options by name.

    Workers that have grown too much are replaced after 5,000 requests or a multiple, so that leaks
    stay small.
    """
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
    """Gunicorn's log in the format of the server."""

    def setup(self, cfg: Any) -> None:  # noqa: ANN401 - gunicorn's own
        super().setup(cfg)
        self.error_log.handlers = []
        self.error_log.propagate = True


def _give_place(arbiter: Any, worker: Any) -> None:  # noqa: ANN401 - gunicorn's own
    """Set `place` of a new worker to the lowest free table number, from 0; it continues counters of
    an old worker.
    """
    taken = {getattr(other, "place", None) for other in arbiter.WORKERS.values()}
    worker.place = next(number for number in itertools.count() if number not in taken)


def _use_place(_arbiter: Any, worker: Any) -> None:  # noqa: ANN401 - gunicorn's own
    """Make this worker process write its counts to the table of its number."""
    COUNTS.use_table(worker.place)


def _end_alerts(_arbiter: Any, worker: Any) -> None:  # noqa: ANN401 - gunicorn's own
    """Wait at most _ALERTS_END_S (5 s) for messages that are being sent, because an interrupted
    message is sent again.
    """
    alerts: AlertLoops | None = getattr(worker.app, "alerts", None)
    if alerts is not None:
        alerts.close(_ALERTS_END_S)


def serve_forever(settings: Settings) -> None:
    """Serve until a signal ends the process.

    Raises ConfigurationError if the address is not usable or a package is missing.
    """
    check_extras(settings)
    _check_address(settings.host, settings.port)
    settings.catalogue().create()
    # Folders are locked while they are in use: unlocked folders are left from killed processes.
    sweep(uploads(settings.data), whole=True)
    sweep()
    if settings.is_open:
        click.echo(f"Warning: {OPEN_TO_ALL} Setting `auth` changes that.", err=True)
    click.echo(f"Tilescope is at http://{_address(settings.host, settings.port)} (Ctrl-C stops it)")
    configure(settings.log_format)
    # Before the workers are forked, so that they inherit the shared memory.
    COUNTS.reserve(_TABLES_PER_WORKER * settings.workers)
    GunicornServer(settings).run()


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _check_address(host: str, port: int) -> None:
    """Bind the address a single time, to fail immediately: raises ConfigurationError with a
    sentence if that is not possible.

    Gunicorn itself would retry for seconds and log each attempt.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise ConfigurationError(
            f"cannot listen on {_address(host, port)}: {error.strerror or error}"
        ) from error
