"""Number of workers of a Dask scheduler, requested with a time limit. No work is sent to them."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from schema.command import HOSTING

_WITHIN_S = 3.0
"""Seconds to wait for the scheduler."""


@dataclass(frozen=True)
class Workers:
    """Number of workers of the Dask scheduler and their threads; `error` says why they are unknown.

    `scheduler` is "" if it is not configured: processes of the servers then do the work of jobs.
    """

    scheduler: str = ""
    workers: int = 0
    threads: int = 0
    error: str = ""


def ask_workers(scheduler: str) -> Workers:
    """Request the numbers of workers and threads of a scheduler, for at most _WITHIN_S (3 s); the
    empty record if `scheduler` is "".

    No error is raised: if the request fails, `error` is a sentence.
    """
    if not scheduler:
        return Workers()
    try:
        # the caller's thread may already run an event loop
        with ThreadPoolExecutor(1) as own:
            identity = own.submit(_ask_identity, scheduler).result()
    except ImportError as error:
        return Workers(scheduler, error=f"{error} (it needs {HOSTING})")
    except TimeoutError:
        return Workers(scheduler, error=f"it does not respond within {_WITHIN_S:g} s")
    # invalid addresses, TLS keys and versions raise many kinds of errors
    except Exception as error:
        return Workers(scheduler, error=" ".join(str(error).split()) or "it does not respond")
    workers = identity["workers"].values()
    return Workers(scheduler, len(workers), sum(int(worker["nthreads"]) for worker in workers))


def _ask_identity(scheduler: str) -> Any:  # noqa: ANN401
    return asyncio.run(asyncio.wait_for(_identity(scheduler), _WITHIN_S))


async def _identity(scheduler: str) -> Any:  # noqa: ANN401 - distributed has no types
    from distributed.core import rpc  # noqa: PLC0415 - an extra, slow to import
    from distributed.security import Security  # noqa: PLC0415

    security: Any = Security
    async with rpc(scheduler, connection_args=security().get_connection_args("client")) as client:
        return await client.identity(n_workers=-1)
