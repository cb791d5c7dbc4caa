"""Posts on a stand-in of each code host: one per pull request and per regression, whatever fails."""

import pytest

from services.alerts.code_hosts.api_requests import PAGE_SIZE
from services.alerts.code_hosts.code_host import LABEL
from services.alerts.code_hosts.marker import read_marker
from services.alerts.errors import SendError
from services.alerts.origin import MessageOrigin
from tests.support.code_host_messages import COMMIT, issue, pull
from tests.support.code_host_server import CUT, PASS, RefusalError

FAILURES = (CUT, RefusalError(502, "Bad Gateway"), RefusalError(429, "slow down"))


def publish_until_done(side, payload):
    """Publish a message as the outbox does, until an attempt succeeds; return the attempts."""
    for attempt in range(1, 20):
        try:
            side.publish(payload)
        except SendError:
            continue
        return attempt
    raise AssertionError("no attempt succeeded")


def test_a_pull_request_gets_one_comment_that_is_changed(side):
    side.repository.pulls = {3: ("open", [COMMIT])}
    side.publish(pull(value=1.5))
    side.publish(pull(day=2, seen=2, value=1.25))
    [body] = side.repository.bodies(3)
    assert "1.25" in body
    assert "1.5 " not in body


def test_each_rule_has_a_comment_of_its_own(side):
    side.repository.pulls = {3: ("open", [COMMIT])}
    for rule in ("nightly", "weekly", "nightly"):
        side.publish(pull(rule=rule))
    assert len(side.repository.bodies(3)) == 2


def test_two_installations_have_posts_of_their_own(side):
    side.repository.pulls = {3: ("open", [COMMIT])}
    origins = [MessageOrigin(site * 12, "https://t.example.org") for site in "ab"]
    for day in (1, 2):
        for origin in origins:
            side.publish(pull(day=day, seen=day, origin=origin))
            side.publish(issue("regressed", day=day, origin=origin))
    assert len(side.repository.bodies(3)) == len(side.repository.issues) == 2
    side.publish(issue("recovered", day=3, origin=origins[0]))
    assert sorted(each["is_open"] for each in side.repository.issues) == [False, True]


def test_a_post_without_an_installation_is_continued_by_one(side):
    side.repository.pulls = {3: ("open", [COMMIT])}
    origins = [MessageOrigin(site, "https://t.example.org") for site in ("", "a" * 12, "b" * 12)]
    for day, origin in enumerate(origins, start=1):
        side.publish(pull(day=day, seen=day, origin=origin))
        side.publish(issue("regressed", day=day, origin=origin))
    sites = [read_marker(body).site for body in side.repository.bodies(3)]
    assert sites == [origin.site for origin in origins[1:]]
    assert len(side.repository.issues) == 2


def test_a_message_that_is_published_again_changes_nothing(side):
    side.repository.pulls = {3: ("open", [COMMIT])}
    for payload in (pull(), issue("regressed"), issue("recovered", day=2)):
        side.publish(payload)
        writes = [*side.server.writes]
        side.publish(payload)
        assert side.server.writes == writes


def test_an_older_message_does_not_replace_a_newer(side):
    side.repository.pulls = {3: ("open", [COMMIT])}
    side.publish(pull(day=3, seen=3, value=1.25))
    side.publish(pull(day=2, seen=2, value=1.75))
    # a run of an earlier day that is judged again, since its base changed
    side.publish(pull(day=9, seen=2, value=1.75))
    [body] = side.repository.bodies(3)
    assert "1.25" in body
    side.publish(issue("regressed", day=5))
    side.publish(issue("recovered", day=4))
    [made] = side.repository.issues
    assert made["is_open"]
    assert side.repository.bodies(made["number"]) == []


def test_open_and_merged_pull_requests_are_commented(side):
    side.repository.pulls = {
        number: (state, commits)
        for number, state, commits in (
            (3, "open", [COMMIT]),
            (4, "merged", [COMMIT]),
            (5, "closed", [COMMIT]),
            (6, "open", ["f" * 40]),
        )
    }
    side.publish(pull())
    assert [len(side.repository.bodies(number)) for number in (3, 4, 5, 6)] == [1, 1, 0, 0]


def test_a_commit_that_the_server_does_not_know_has_no_pull_request(side):
    side.publish(pull(commit="fedcba9876543210"))
    assert side.server.writes == []


def test_a_comment_is_found_on_a_later_page(side):
    side.repository.pulls = {3: ("open", [COMMIT])}
    side.server.page = 2
    for _ in range(5):
        side.server.add_comment(3, "from a person")
    side.publish(pull())
    side.publish(pull(day=2, seen=2))
    assert len(side.repository.bodies(3)) == 6


def test_a_comment_is_found_on_a_later_page_without_a_link_to_it(side):
    side.repository.pulls = {3: ("open", [COMMIT])}
    side.server.drops_links = True
    for _ in range(PAGE_SIZE):
        side.server.add_comment(3, "from a person")
    side.publish(pull())
    side.publish(pull(day=2, seen=2))
    assert len(side.repository.bodies(3)) == PAGE_SIZE + 1


def test_a_quoted_copy_of_a_comment_is_left_alone(side):
    side.repository.pulls = {3: ("open", [COMMIT])}
    side.publish(pull())
    [body] = side.repository.bodies(3)
    side.server.add_comment(3, body)
    side.server.add_comment(3, f"> {body}")
    side.publish(pull(day=2, seen=2, value=1.25))
    assert ["1.25" in text for text in side.repository.bodies(3)] == [True, False, False]


def test_an_issue_is_opened_changed_closed_and_reopened(side):
    side.publish(issue("regressed", day=1, value=1.5))
    [made] = side.repository.issues
    assert (made["labels"], made["is_open"]) == ([LABEL], True)
    side.publish(issue("lasting", day=2, value=1.25))
    assert "1.25" in made["body"]
    assert side.repository.bodies(made["number"]) == []
    side.publish(issue("recovered", day=3, value=2.0))
    assert not made["is_open"]
    assert len(side.repository.bodies(made["number"])) == 1
    side.publish(issue("regressed", day=4, value=1.125))
    assert (len(side.repository.issues), made["is_open"]) == (1, True)
    assert len(side.repository.bodies(made["number"])) == 2
    assert "1.125" in made["body"]


def test_each_key_has_an_issue(side):
    for name in ("gemm", "conv", "gemm"):
        side.publish(issue("regressed", name=name))
    assert len(side.repository.issues) == 2


def test_an_issue_that_a_person_closed_stays_closed_until_the_key_regresses_again(side):
    side.publish(issue("regressed", day=1))
    [made] = side.repository.issues
    made["is_open"] = False
    side.publish(issue("lasting", day=2, value=1.25))
    assert not made["is_open"]
    assert "1.25" in made["body"]
    side.publish(issue("recovered", day=3))
    assert side.repository.bodies(made["number"]) == []
    side.publish(issue("regressed", day=4))
    assert made["is_open"]


def test_a_recovery_without_an_issue_creates_nothing(side):
    side.publish(issue("recovered"))
    assert (side.repository.issues, side.server.writes) == ([], [])


def test_an_issue_without_its_label_is_found_among_the_newest(side):
    side.repository.drops_labels = True
    side.publish(issue("regressed", day=1))
    side.publish(issue("lasting", day=2))
    assert len(side.repository.issues) == 1


def test_an_issue_is_found_among_many_with_the_label(side):
    side.server.page = 2
    side.publish(issue("regressed", day=1))
    for _ in range(5):
        side.server.add_issue("from a person", "text", [LABEL])
    side.publish(issue("lasting", day=2))
    assert len(side.repository.issues) == 6


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("failure", range(len(FAILURES)))
@pytest.mark.parametrize("passed", range(6))
def test_whatever_request_fails_nothing_is_posted_twice_and_nothing_is_lost(side, failure, passed):
    side.repository.pulls = {3: ("open", [COMMIT]), 4: ("merged", [COMMIT])}
    steps = (
        pull(),
        issue("regressed", day=1),
        issue("recovered", day=2),
        issue("regressed", day=3),
    )
    failed = 0
    for payload in steps:
        side.server.plan = [PASS] * passed + [FAILURES[failure]]
        failed += publish_until_done(side, payload) - 1
        side.server.plan = []
    assert [len(side.repository.bodies(number)) for number in (3, 4)] == [1, 1]
    [made] = side.repository.issues
    assert made["is_open"]
    assert len(side.repository.bodies(made["number"])) == 2
    assert failed or passed == 5
