"""`alert`: what is set and listed, what is sent to whom, what waits and is tried again, and what is refused."""

import json
from shutil import copytree

import pytest

from app.config.settings import Settings
from services.alerts.manage import DEFAULT_EVENTS
from storage.alerts import Alerts
from storage.audit import Audit
from storage.deliveries import DEAD, SENT, WAITING, Deliveries
from tests.support.code_host_messages import Side
from tests.support.code_host_server import TOKEN, RefusalError, serving
from tests.support.command_line import good, run
from tests.support.paced_trace import ingest_night
from tests.support.receivers import receiving

PATH = "/services/T0/hidden"
ENVIRONMENT = {"ALERT_SECRET": "0123456789abcdef", "ALERT_RETRY_S": "0.001", "ALERT_ATTEMPTS": "2"}
MAIL = {"SMTP_URL": "smtp://127.0.0.1:9", "SMTP_FROM": "tilescope@example.org"}
GOOD_NIGHTS = 4


@pytest.fixture(scope="module")
def nights(tmp_path_factory):
    """The folder of a store with a rule, and a key that is well."""
    folder = tmp_path_factory.mktemp("nights")
    repository = Settings(data=folder / "data").repository()
    for night in range(1, GOOD_NIGHTS + 1):
        ingest_night(repository, folder, night)
    repository.catalogue.close()
    assert (
        run("baseline", "rule", "set", "nightly", "--last", 3, "--data", folder / "data").exit_code
        == 0
    )
    return folder / "data"


@pytest.fixture
def data(nights, tmp_path):
    """A store of the test's own."""
    return copytree(nights, tmp_path / "data")


@pytest.fixture(scope="module")
def server():
    with receiving() as found:
        yield found


@pytest.fixture
def receiver(server):
    """The receiver, which got nothing yet and takes everything."""
    server.got.clear()
    server.plan.clear()
    return server


@pytest.fixture
def alert(data, receiver, monkeypatch):
    """Give what runs the command on the store, with the receiver's host listed and a mail server that is not there."""
    for name, value in (ENVIRONMENT | MAIL | {"ALERT_HOSTS": receiver.host}).items():
        monkeypatch.setenv(f"TILESCOPE_{name}", value)
    return lambda *args: run("alert", *args, "--data", data)


@pytest.fixture
def catalogue(data):
    opened = Settings(data=data).catalogue()
    yield opened
    opened.close()


@pytest.fixture
def night(data, tmp_path):
    """Give what takes in a run of a night, slower where it is said to be."""

    def take_in(number, *, slower):
        repository = Settings(data=data).repository()
        run_id = ingest_night(
            repository, tmp_path, number, **({"longer": {"3,1": 120}} if slower else {})
        )
        repository.catalogue.close()
        return run_id

    return take_in


def refused(told):
    assert (told.exit_code, told.stdout) == (1, "")
    (line,) = told.stderr.splitlines()
    assert line.startswith("Error: ")
    assert "hidden" not in line
    return line


def hook(receiver):
    return f"http://{receiver.host}{PATH}"


def set_hook(alert, receiver, *more):
    good(alert("set", "team", "--rule", "nightly", "--webhook", hook(receiver), *more))


def counts(alert, *more):
    return json.loads(good(alert("run", "--json", *more)))


class TestSetAndList:
    def test_every_channel_is_listed_without_what_is_secret(self, alert, receiver, catalogue):
        mail = ("--mail", "a@example.org", "--mail", "b@example.org")
        good(
            alert(
                "set",
                " team ",
                "--rule",
                "nightly",
                "--webhook",
                hook(receiver),
                "--slack",
                hook(receiver),
                *mail,
            )
        )
        (one,) = json.loads(good(alert("list", "--json")))
        assert (one["name"], one["rule"], one["on"]) == ("team", "nightly", [*DEFAULT_EVENTS])
        assert (one["webhook"], one["slack"]) == (receiver.host, receiver.host)
        assert one["mail"] == ["a@example.org", "b@example.org"]
        (line,) = good(alert("list")).splitlines()
        assert PATH not in line
        assert all(
            text in line
            for text in ("team", "nightly", ",".join(DEFAULT_EVENTS), receiver.host, *one["mail"])
        )
        assert Alerts(catalogue).get("team").webhook == hook(receiver)

    def test_events_and_days_are_kept(self, alert, receiver):
        set_hook(alert, receiver, "--on", "no_data,recovered,no_data", "--no-data-days", 2.5)
        (one,) = json.loads(good(alert("list", "--json")))
        assert (one["on"], one["no_data_days"]) == (["no_data", "recovered"], 2.5)

    def test_an_alert_takes_the_place_of_the_one_of_its_name(self, alert, receiver):
        set_hook(alert, receiver)
        good(alert("set", "team", "--rule", "nightly", "--mail", "a@example.org"))
        (one,) = json.loads(good(alert("list", "--json")))
        assert (one["webhook"], one["mail"]) == (None, ["a@example.org"])

    def test_the_rule_that_there_is_stands_for_an_empty_name(self, alert, receiver, data):
        good(alert("set", "team", "--rule", "", "--webhook", hook(receiver)))
        assert run("baseline", "rule", "set", "weekly", "--last", 7, "--data", data).exit_code == 0
        (one,) = json.loads(good(alert("list", "--json")))
        assert one["rule"] == "nightly"

    def test_the_audit_log_has_who_set_tested_and_deleted_it(self, alert, receiver, catalogue):
        set_hook(alert, receiver)
        good(alert("test", "team"))
        good(alert("delete", "team"))
        found = [one for one in Audit(catalogue).entries() if one.action.startswith("alert.")]
        assert [(one.action, one.object) for one in found] == [
            (f"alert.{done}", "team") for done in ("delete", "test", "set")
        ]
        assert all(one.user.startswith("command line") for one in found)
        assert not any(PATH in str(one) for one in found)

    @pytest.mark.parametrize(
        "args",
        [
            (),
            ("--rule", "nightly"),
            ("--rule", "none", "--mail", "a@example.org"),
            ("--rule", "nightly", "--webhook", " "),
            ("--rule", "nightly", "--slack", ""),
            ("--rule", "nightly", "--webhook", "http://192.0.2.1/hidden"),
            ("--rule", "nightly", "--slack", "file:///hidden"),
            ("--rule", "nightly", "--mail", "nobody"),
            ("--rule", "nightly", "--mail", "a@example.org", "--on", "regressed,soon"),
            ("--rule", "nightly", "--mail", "a@example.org", "--on", ""),
            ("--rule", "nightly", "--mail", "a@example.org", "--no-data-days", "0"),
            ("--rule", "nightly", "--mail", "a@example.org", "--no-data-days", "nan"),
            ("--rule", "nightly", "--mail", "a@example.org", "--no-data-days", "week"),
        ],
        ids=" ".join,
    )
    def test_what_is_no_alert_is_refused_in_one_line_and_not_set(self, alert, args):
        refused(alert("set", "team", *args))
        assert json.loads(good(alert("list", "--json"))) == []

    @pytest.mark.parametrize("name", ["", "a\tb", "x" * 500])
    def test_a_name_that_is_none_is_refused(self, alert, name):
        refused(alert("set", name, "--rule", "nightly", "--mail", "a@example.org"))

    @pytest.mark.parametrize("channel", ["webhook", "mail"])
    def test_a_channel_that_the_installation_does_not_have_is_refused(
        self, alert, receiver, monkeypatch, channel
    ):
        for name in ("ALERT_SECRET", *MAIL):
            monkeypatch.delenv(f"TILESCOPE_{name}")
        to = hook(receiver) if channel == "webhook" else "a@example.org"
        refused(alert("set", "team", "--rule", "nightly", f"--{channel}", to))


class TestMessages:
    def test_a_test_goes_through_every_channel_and_is_in_the_log(self, alert, receiver):
        set_hook(alert, receiver, "--slack", hook(receiver))
        good(alert("test", "team"))
        assert [path for path, _, _ in receiver.got] == [PATH, PATH]
        log = json.loads(good(alert("log", "--json")))
        assert {(one["channel"], one["event"], one["state"]) for one in log} == {
            (channel, "test", SENT) for channel in ("webhook", "slack")
        }
        lines = good(alert("log")).splitlines()
        assert [line.split()[0] for line in lines] == [one["id"] for one in log]

    def test_a_test_that_is_not_delivered_is_an_error_and_is_sent_by_the_next_run_after_a_retry(
        self, alert, receiver
    ):
        set_hook(alert, receiver)
        receiver.plan = [500]
        refused(alert("test", "team"))
        (dead,) = json.loads(good(alert("log", "--json")))
        assert (dead["state"], dead["attempts"]) == (DEAD, 1)
        assert dead["error"] in good(alert("log"))
        good(alert("retry", dead["id"]))
        assert json.loads(good(alert("log", "--json")))[0]["state"] == WAITING
        assert counts(alert)["sent"] == 1
        assert json.loads(good(alert("log", "--json")))[0]["state"] == SENT
        refused(alert("retry", dead["id"]))

    def test_mail_without_its_server_is_not_delivered(self, alert):
        good(alert("set", "team", "--rule", "nightly", "--mail", "a@example.org"))
        refused(alert("test", "team"))
        (one,) = json.loads(good(alert("log", "--json")))
        assert (one["channel"], one["receiver"], one["state"]) == ("mail", "a@example.org", DEAD)

    @pytest.mark.slow
    def test_the_first_run_records_and_each_change_is_told_once(self, alert, receiver, night):
        set_hook(alert, receiver)
        assert counts(alert) == {"made": 0, "sent": 0, "failed": 0}
        bad = night(GOOD_NIGHTS + 1, slower=True)
        assert counts(alert) == {"made": 1, "sent": 1, "failed": 0}
        assert counts(alert) == {"made": 0, "sent": 0, "failed": 0}
        night(GOOD_NIGHTS + 2, slower=False)
        assert [int(word) for word in good(alert("run")).split() if word.isdigit()] == [1, 1, 0]
        told = [json.loads(body) for _, _, body in receiver.got]
        assert [one["event"] for one in told] == ["regressed", "recovered"]
        assert told[0]["run"]["run_id"] == bad

    def test_later_runs_are_left_out_as_of_a_moment(self, alert, receiver, night):
        set_hook(alert, receiver)
        counts(alert)
        night(GOOD_NIGHTS + 1, slower=True)
        assert counts(alert, "--as-of", f"2026-11-{GOOD_NIGHTS:02d}T12:00:00+00:00")["made"] == 0
        assert counts(alert)["made"] == 1

    def test_what_fails_waits_and_is_given_up_after_all_attempts(
        self, alert, receiver, night, catalogue
    ):
        set_hook(alert, receiver)
        counts(alert)
        night(GOOD_NIGHTS + 1, slower=True)
        receiver.plan = [500] * 9
        assert counts(alert) == {"made": 1, "sent": 0, "failed": 1}
        while Deliveries(catalogue).log()[0].state == WAITING:
            counts(alert)
        (one,) = json.loads(good(alert("log", "--json")))
        assert (one["state"], one["attempts"]) == (DEAD, int(ENVIRONMENT["ALERT_ATTEMPTS"]))

    def test_messages_that_wait_go_with_their_alert(self, alert, receiver, night):
        set_hook(alert, receiver)
        counts(alert)
        night(GOOD_NIGHTS + 1, slower=True)
        receiver.plan = [500] * 9
        counts(alert)
        good(alert("delete", "team"))
        assert json.loads(good(alert("list", "--json"))) == []
        assert json.loads(good(alert("log", "--json"))) == []

    def test_a_moment_that_is_none_is_refused(self, alert):
        refused(alert("run", "--as-of", "soon"))

    @pytest.mark.parametrize("command", ["test", "retry", "delete"])
    def test_what_is_not_there_is_said(self, alert, command):
        assert "'nobody'" in refused(alert(command, "nobody"))


class TestWithoutAStore:
    @pytest.mark.parametrize("command", ["list", "log"])
    def test_nothing_is_listed(self, tmp_path, command):
        assert good(run("alert", command, "--data", tmp_path / "none")) == ""
        assert json.loads(good(run("alert", command, "--json", "--data", tmp_path / "none"))) == []

    def test_nothing_is_to_be_sent_and_no_store_is_made(self, tmp_path):
        told = run("alert", "run", "--json", "--data", tmp_path)
        assert json.loads(good(told)) == {"made": 0, "sent": 0, "failed": 0}
        assert not [*tmp_path.iterdir()]

    def test_a_message_that_is_not_there_is_said(self, tmp_path):
        assert "'nobody'" in refused(run("alert", "retry", "nobody", "--data", tmp_path))
        assert not [*tmp_path.iterdir()]


class TestCodeHosts:
    @pytest.fixture(params=["github", "gitlab"])
    def side(self, request, alert, monkeypatch):
        with serving(request.param) as server:
            known = {"ALERT_HOSTS": f"127.0.0.1:{server.server_port}"}
            known |= {
                f"{request.param.upper()}_TOKEN": TOKEN,
                f"{request.param.upper()}_API": server.base,
            }
            for name, value in known.items():
                monkeypatch.setenv(f"TILESCOPE_{name}", value)
            yield Side(request.param, server, None)

    def test_a_repository_is_listed_with_its_posts(self, alert, side):
        good(alert("set", "team", "--rule", "nightly", f"--{side.kind}", side.repository.name))
        (one,) = json.loads(good(alert("list", "--json")))
        assert (one[side.kind], one["posts"]) == ("team/kernels", ["pull_request", "issue"])
        shown = good(alert("list"))
        assert f"{side.kind} team/kernels" in shown
        assert TOKEN not in shown

    @pytest.mark.quick_every(2)
    def test_a_dry_run_prints_each_post_and_makes_no_request(self, alert, side, night, catalogue):
        set_posts(alert, side)
        night(GOOD_NIGHTS + 1, slower=True)
        printed = good(alert("test", "team", "--dry-run"))
        assert f"--- alert team, {side.kind} team/kernels: issue, opened" in printed
        assert "Tilescope: regressed" in printed
        assert TOKEN not in printed
        assert side.server.log == []
        assert Deliveries(catalogue).log() == []

    @pytest.mark.quick_every(2)
    def test_a_dry_run_prints_all_that_the_next_evaluation_posts(
        self, alert, side, night, catalogue
    ):
        set_posts(alert, side)
        counts(alert)
        side.repository.pulls = {7: ("open", ["c0ffee05"])}
        night(GOOD_NIGHTS + 1, slower=True)
        side.server.log.clear()
        printed = [good(alert("run", "--dry-run")) for _ in range(2)]
        assert side.server.log == []
        assert Deliveries(catalogue).log() == []
        messages = json.loads(good(alert("run", "--dry-run", "--json")))["messages"]
        assert counts(alert)["made"] == len(messages) == 2
        [made] = side.repository.issues
        for body in (made["body"], *side.repository.bodies(7)):
            # The first line has the time of the evaluation, and the id of the installation.
            lines = body.splitlines()[1:]
            assert all("\n".join(lines) in text for text in printed)
            assert sum("\n".join(lines) in message["text"] for message in messages) == 1

    @pytest.mark.quick_every(2)
    def test_a_dry_run_prints_messages_that_wait(self, alert, side, night):
        set_posts(alert, side)
        counts(alert)
        night(GOOD_NIGHTS + 1, slower=True)
        side.server.plan = [RefusalError(502, "Bad Gateway")] * 9
        counts(alert)
        messages = json.loads(good(alert("run", "--dry-run", "--json")))["messages"]
        assert sorted(message["event"] for message in messages) == ["commit", "regressed"]
        assert all(message["attempts"] for message in messages)

    def test_a_test_reads_the_repository(self, alert, side):
        set_posts(alert, side)
        good(alert("test", "team"))
        assert [method for method, _ in side.server.log] == ["GET"]
        side.repository.name = "team/renamed"
        assert TOKEN not in refused(alert("test", "team"))

    def test_a_regression_opens_an_issue_that_the_recovery_closes(self, alert, side, night):
        set_posts(alert, side)
        counts(alert)
        night(GOOD_NIGHTS + 1, slower=True)
        counts(alert)
        [made] = side.repository.issues
        assert made["is_open"]
        night(GOOD_NIGHTS + 2, slower=False)
        counts(alert)
        assert (len(side.repository.issues), made["is_open"]) == (1, False)
        assert TOKEN not in good(alert("log", "--json"))

    @pytest.mark.parametrize(
        "more", [("team",), ("../x",), ("",), ("team/kernels", "--posts", "release")], ids=" ".join
    )
    def test_what_is_no_repository_is_refused(self, alert, side, more):
        refused(alert("set", "team", "--rule", "nightly", f"--{side.kind}", *more))
        assert json.loads(good(alert("list", "--json"))) == []

    def test_a_repository_without_a_token_is_refused(self, alert, side, monkeypatch):
        monkeypatch.delenv(f"TILESCOPE_{side.kind.upper()}_TOKEN")
        line = refused(alert("set", "team", "--rule", "nightly", f"--{side.kind}", "team/kernels"))
        assert f"{side.kind}_token" in line


def set_posts(alert, side):
    good(alert("set", "team", "--rule", "nightly", f"--{side.kind}", side.repository.name))
