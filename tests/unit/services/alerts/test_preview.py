"""Messages that an alert would send, for a person who sets it up; no request is made."""

import math
from dataclasses import replace

import pytest

from ingest.files import ingest
from services.alerts.config import AlertConfig
from services.alerts.preview import preview_messages
from services.status.rules import set_rule
from services.status.status import StatusCache
from storage.alerts import Alert
from storage.rules import Rule

ALERT = Alert(
    "team",
    "nightly",
    "http://127.0.0.1:9/hidden",
    "http://127.0.0.1:9/hidden",
    ["a@example.org"],
    github="team/kernels",
    gitlab="group/lab/kernels",
    posts=("pull_request", "issue"),
)
CONFIG = AlertConfig("127.0.0.1:9", github_token="secret", gitlab_token="secret")  # noqa: S106
COMMIT = "0123456789abcdef"


@pytest.fixture
def status_cache(repository):
    set_rule(repository, Rule("nightly", 3), "me")
    return StatusCache(repository)


@pytest.fixture
def run(repository, samples):
    ingest(repository, [samples / "minimalloc"], {"commit": COMMIT})


def preview(status_cache, alert=ALERT):
    return preview_messages(status_cache, alert, CONFIG, math.inf)


def test_each_channel_has_a_message_without_secrets(status_cache, run):
    messages = preview(status_cache)
    assert [message.receiver.split()[0] for message in messages] == [
        *("webhook", "slack", "mail"),
        *("github", "github", "gitlab", "gitlab"),
    ]
    assert not any("hidden" in str(message) or "secret" in str(message) for message in messages)
    assert all(COMMIT in message.text for message in messages if "git" in message.receiver)


@pytest.mark.slow
def test_only_the_kinds_of_posts_that_the_alert_names_are_shown(status_cache, run):
    alert = replace(ALERT, webhook="", slack="", mail=(), gitlab="", posts=("issue",))
    [message] = preview(status_cache, alert)
    assert message.receiver.startswith("github team/kernels: issue")


def test_without_runs_there_is_no_post(status_cache):
    assert len(preview(status_cache)) == 3
