"""A stand-in for a code host with its settings, and messages about a run of its repository."""

from dataclasses import dataclass

from analysis.comparison.series import SeriesKey
from analysis.comparison.status_row import CommitMoment, RunStanding, Since, StatusRow, StatusRun
from services.alerts.code_hosts.hosts import open_code_host
from services.alerts.code_hosts.payloads import issue_payload, pull_request_payload
from services.alerts.code_hosts.publish import publish
from services.alerts.config import AlertConfig
from services.alerts.origin import MessageOrigin
from storage.alerts import Alert
from tests.support.code_host_server import TOKEN, CodeHostServer

COMMIT = "0123456789abcdef"
ORIGIN = MessageOrigin("5" * 12, "https://t.example.org")
BLANK = dict.fromkeys(SeriesKey._fields)


@dataclass
class Side:
    """A stand-in for a code host, and the configuration to reach it."""

    kind: str
    server: CodeHostServer
    config: AlertConfig

    @property
    def repository(self):
        return self.server.repository

    def host(self):
        """Open a client of the code host, as for the requests of one message."""
        return open_code_host(self.config, self.kind, self.repository.name)

    def publish(self, payload):
        """Publish a message in one attempt."""
        publish(self.host(), payload)


def config_of(server, kind, token=TOKEN):
    """Return the alert settings that lead to a stand-in, with short pauses between attempts."""
    hosts = f"127.0.0.1:{server.server_port}"
    named = {f"{kind}_token": token, f"{kind}_api": server.base}
    return AlertConfig(hosts, timeout_s=60.0, retry_s=0.01, attempts=3, **named)


def row(name="gemm", verdict="regressed", value=1.5, commit=COMMIT):
    run = StatusRun("f" * 64, "2026-11-01T00:00:00+00:00", commit, "main", "trace.json", name)
    moments = [CommitMoment(letter * 64, run.taken_at, letter * 8) for letter in "ba"]
    return StatusRow(
        key=SeriesKey(**(BLANK | {"source": "aie", "hwid": "npu2", "name": name})),
        run=run,
        metric="gmacs_mean",
        value=value,
        base=2.0,
        relative=value / 2.0 - 1,
        verdict=verdict,
        reason="",
        since=Since(*moments, 2) if verdict == "regressed" else None,
        acknowledged=None,
        points=[],
        age_days=0.0,
    )


def issue(step, day=1, name="gemm", value=1.5, origin=None):
    """Build the payload about an issue whose key took this `step` (regressed, lasting, recovered),
    judged on `day` of November 2026.
    """
    verdict = "unchanged" if step == "recovered" else "regressed"
    made = row(name, verdict, value)
    return issue_payload(
        step, Alert("team", "nightly"), made, _day(day), ORIGIN if origin is None else origin
    )


def pull(day=1, seen=1, value=1.5, *, rule="nightly", commit=COMMIT, origin=None):
    """Build the payload about the pull requests of a commit, ingested on day `seen` and judged on
    `day` of November 2026.
    """
    standings = [RunStanding(rule, row(value=value, commit=commit), ["a" * 64])]
    alert = Alert("team", rule)
    return pull_request_payload(
        alert, standings, _day(seen), _day(day), ORIGIN if origin is None else origin
    )


def _day(day):
    return f"2026-11-{day:02}T00:00:00+00:00"
