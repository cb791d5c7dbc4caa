"""Requests to a stand-in of each code host: refusals as sentences without secrets, and limits."""

import time
from dataclasses import replace
from email.utils import formatdate

import pytest

from services.alerts.code_hosts.api_requests import MAX_PAGES, StatusError
from services.alerts.code_hosts.hosts import is_repository
from services.alerts.code_hosts.rate_limits import wait_seconds
from services.alerts.errors import RateLimitError, SendError
from services.alerts.guarded_http import Response
from tests.support.code_host_messages import COMMIT, config_of, issue, pull
from tests.support.code_host_server import TOKEN, RefusalError


def refusal(side, payload):
    """Return the error of publishing a message, and check that nothing was changed."""
    with pytest.raises(SendError) as caught:
        side.publish(payload)
    assert TOKEN not in str(caught.value)
    assert TOKEN not in repr(side.config)
    return caught.value


def test_a_wrong_token_is_refused(side):
    wrong = "another-token"
    side.config = config_of(side.server, side.kind, wrong)
    error = refusal(side, issue("regressed"))
    assert (error.status, wrong in str(error), side.repository.issues) == (401, False, [])


def test_without_a_token_no_request_is_made(side):
    side.config = config_of(side.server, side.kind, "")
    assert f"{side.kind}_token" in str(refusal(side, pull()))
    assert side.server.log == []


def test_a_missing_repository_is_an_error_for_both_kinds_of_posts(side):
    side.repository.name = "team/renamed"
    host = side.host()
    side.repository.name = "team/kernels"
    for operation in (lambda: list(host.pull_requests(COMMIT)), lambda: list(host.issues())):
        with pytest.raises(StatusError) as caught:
            operation()
        assert caught.value.status == 404
        assert "team/renamed" in str(caught.value)


def test_an_archived_repository_is_an_error(side):
    side.repository.archived = True
    side.repository.pulls = {3: ("open", [COMMIT])}
    for payload in (pull(), issue("regressed")):
        assert refusal(side, payload).status == 403
    with pytest.raises(SendError):
        side.host().check(needs_issues=False)


def test_a_repository_without_issues_is_an_error_if_issues_are_wanted(side):
    side.repository.has_issues = False
    with pytest.raises(SendError):
        side.host().check(needs_issues=True)
    side.host().check(needs_issues=False)


def test_a_host_that_is_not_listed_gets_no_request(side):
    side.config = replace(side.config, hosts="api.example.org")
    assert "alert_hosts" in str(refusal(side, pull()))
    assert side.server.log == []


def test_a_list_without_end_is_an_error_and_nothing_is_posted(side):
    side.repository.pulls = {3: ("open", [COMMIT])}
    side.server.page = 1
    for _ in range(MAX_PAGES + 1):
        side.server.add_comment(3, "from a person")
    refusal(side, pull())
    assert side.server.writes == []


@pytest.mark.parametrize("content", [{}, [{"number": "x", "iid": "x", "state": "open"}], "text"])
def test_json_of_another_shape_is_an_error(side, content):
    side.server.respond = lambda *_: (200, content, {})
    refusal(side, issue("regressed"))
    if content != {}:
        side.server.respond = lambda *_: (200, [{"state": "open"}, {"state": "opened"}], {})
        refusal(side, pull())


@pytest.mark.parametrize(
    ("status", "headers", "wait_s"),
    [
        (429, {"Retry-After": "120"}, 120.0),
        (403, {"Retry-After": "90"}, 90.0),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "far"}, 60.0),
        (429, {}, 60.0),
    ],
)
def test_a_rate_limit_has_a_time(side, status, headers, wait_s):
    side.server.plan = [RefusalError(status, "limited", headers)]
    error = refusal(side, issue("regressed"))
    assert isinstance(error, RateLimitError)
    assert error.wait_s == wait_s


def limited(status=403, message="", **headers):
    """Return the seconds for a response at 12:00:00 of the server's clock."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return wait_seconds(
        Response(status, {"date": formatdate(NOON, usegmt=True)} | named, b""), message
    )


NOON = 1_800_000_000.0


def test_the_end_of_a_limit_is_by_the_clock_of_the_server():
    reset = {"x_ratelimit_remaining": "0", "x_ratelimit_reset": str(int(NOON) + 300)}
    assert limited(**reset) == 300.0
    gitlab = {"ratelimit_remaining": "0", "ratelimit_reset": str(int(NOON) + 30)}
    assert limited(429, **gitlab) == 30.0
    assert limited(429, retry_after=formatdate(NOON + 45, usegmt=True)) == 45.0


def test_a_limit_in_the_past_or_far_ahead_has_a_bounded_time():
    for reset, wait_s in ((NOON - 500, 1.0), (NOON + 1e9, 86_400.0)):
        limit = {"x_ratelimit_remaining": "0", "x_ratelimit_reset": str(int(reset))}
        assert limited(**limit) == wait_s
    assert limited(429, retry_after="-5") == 1.0
    assert limited(429, retry_after="nan") == 60.0


def test_a_missing_permission_is_no_limit():
    assert limited(403, "Resource not accessible by integration") is None
    assert limited(404) is None
    assert limited(403, "You have exceeded a secondary rate limit.") == 60.0


def test_without_a_date_the_local_clock_counts():
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(time.time()) - 10)}
    assert wait_seconds(Response(429, headers, b""), "") == 1.0


def test_names_of_repositories():
    assert all(is_repository("github", name) for name in ("team/kernels", "a/.github", "a-b/c.d"))
    assert all(is_repository("gitlab", name) for name in ("team/kernels", "a/b/c/d"))
    for name in ("", "team", "a/b/c", "../x", "a/..", "a/.", "a/b?x", "a/b#1", "a b/c", "a/b\n"):
        assert not is_repository("github", name)
    for name in ("", "team", "a/../b", "/a/b", "a/b/", "a//b", "a%2Fb/c"):
        assert not is_repository("gitlab", name)
