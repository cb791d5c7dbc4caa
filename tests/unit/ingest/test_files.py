import gzip
import json
import os
from pathlib import Path

import pytest

from data_loaders.protocol import Bundle
from data_loaders.reading.files import RATIO_FLOOR_BYTES
from data_loaders.reading.limits import Limits
from ingest import files as ingest_module
from ingest import summary
from ingest.files import ingest
from ingest.run_row import Identity
from schema.diagnostics import Diagnostic
from schema.metrics import METRICS
from tests.support.finding_codes import only_finding
from tests.support.numbers_in_text import numbers_in
from tests.support.steps import Told


def stored_files(repository):
    return sorted(str(path) for path in Path(repository.store.url).rglob("*") if path.is_file())


@pytest.mark.usefixtures("loader")
class TestIngest:
    def test_a_file_becomes_a_run_with_its_frames(self, repository, write):
        answer = ingest(repository, [write(rows=3)], {})
        run = answer.runs[0]
        assert answer.ok
        assert (run.source, run.name, run.status) == ("fake", "one", "new")
        assert run.frames["events"] == 3
        assert [d.code for d in run.diagnostics if d.code == "made_up"] == ["made_up"]
        assert repository.frame_names(run.run_id) == ["run", "events", "diagnostics"]
        assert repository.frame(run.run_id, "events")["start"].tolist() == [0, 10, 20]
        assert repository.frame(run.run_id, "diagnostics")["code"].tolist() == ["made_up"]
        row = repository.run(run.run_id).iloc[0]
        assert (row["file"], row["source"], len(row["sha256"])) == ("a.fake", "fake", 64)

    def test_the_same_content_is_the_same_run_however_it_is_packed_and_called(
        self, repository, write, tmp_path, loader
    ):
        first = ingest(repository, [write()], {}).runs[0]
        packed = tmp_path / "b.gz"
        packed.write_bytes(gzip.compress(write().read_bytes()))
        again = ingest(repository, [packed], {}).runs[0]
        assert (again.run_id, again.status) == (first.run_id, "unchanged")
        assert again.frames == first.frames
        assert again.diagnostics == first.diagnostics
        assert len(repository.runs()) == loader.loads == 1

    def test_a_file_with_the_id_of_another_file_is_refused_and_changes_nothing(
        self, repository, write, monkeypatch
    ):
        monkeypatch.setattr(Identity, "run_id", property(lambda _: "0123456789ab"))
        first = ingest(repository, [write(rows=3)], {}).runs[0]
        answer = ingest(repository, [write("b.fake", rows=4)], {})
        assert not answer.ok
        assert not answer.runs
        assert {first.run_id, "a.fake,"} <= {*answer.skipped[0].reason.split()}
        assert repository.frame(first.run_id, "events")["start"].tolist() == [0, 10, 20]

    def test_other_settings_update_the_run_and_leave_no_files_behind(self, repository, write):
        path = write()
        first = ingest(repository, [path], {"M": "64"}).runs[0]
        created = repository.run(first.run_id)["created_at"].iloc[0]
        files = len(stored_files(repository))
        second = ingest(repository, [path], {"M": "128", "hwid": "npu2"}).runs[0]
        assert (second.run_id, second.status) == (first.run_id, "updated")
        row = repository.run(first.run_id).iloc[0]
        assert (row["M"], row["hwid"], row["created_at"]) == (128, "npu2", created)
        assert len(stored_files(repository)) == files
        assert repository.catalogue.pending() == []

    def test_settings_of_earlier_times_stay(self, repository, write):
        path = write()
        run = ingest(repository, [path], {"M": "64"}).runs[0]
        ingest(repository, [path], {"K": "32"})
        row = repository.run(run.run_id).iloc[0]
        assert (row["M"], row["K"]) == (64, 32)
        assert ingest(repository, [path], {}).runs[0].status == "unchanged"

    @pytest.mark.parametrize("text", ["64", "64.0"])
    def test_a_setting_that_the_run_has_already_changes_nothing(
        self, repository, write, text, loader
    ):
        path = write()
        ingest(repository, [path], {"M": "64"})
        assert ingest(repository, [path], {"M": text}).runs[0].status == "unchanged"
        assert loader.loads == 1

    def test_an_unknown_setting_is_an_error_that_lists_the_known_ones(self, repository, write):
        answer = ingest(repository, [write()], {"colour": "red"})
        assert not answer.ok
        reason = answer.skipped[0].reason
        assert {"fake", "'colour';"} <= {*reason.split()}
        assert reason.endswith(" branch, clock_hz, commit, hwid, K, M, N, name, taken_at")

    @pytest.mark.parametrize(("link", "read"), [("elsewhere/a.note", None), ("tree/b.txt", "kept")])
    def test_a_companion_is_no_link_that_leads_out(self, repository, write, tmp_path, link, read):
        target = tmp_path / link
        target.parent.mkdir(exist_ok=True)
        path = write("tree/a.fake")
        target.write_text("kept")
        path.with_suffix(".note").symlink_to(target)
        run = ingest(repository, [path], {}).runs[0]
        assert repository.run(run.run_id).loc[0, "tags"] == (read or "")

    @pytest.mark.slow
    def test_a_companion_that_cannot_be_read_costs_itself(self, repository, write):
        path = write("tree/a.fake")
        note = path.with_suffix(".note")
        note.write_bytes(gzip.compress(b"\0" * (RATIO_FLOOR_BYTES + 4_000_000)))
        run = ingest(repository, [path], {}).runs[0]
        said = only_finding(run, "companion_unreadable")
        assert said.message.startswith("a.note ")
        assert numbers_in(said.message) == ["250"]
        assert repository.run(run.run_id).loc[0, ["tags", "companions"]].tolist() == ["", ""]
        assert ingest(repository, [path], {}).runs[0].status == "unchanged"
        note.write_text("kept")
        assert ingest(repository, [path], {}).runs[0].status == "updated"
        assert repository.run(run.run_id).loc[0, "companions"] == "a.note"

    @pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
    def test_a_companion_is_a_file(self, repository, write, loader, monkeypatch, make):
        path = write("tree/a.fake")
        note = path.with_suffix(".note")
        make(note)
        monkeypatch.setattr(loader, "bundle", lambda primary: Bundle(primary, (note,)))
        run = ingest(repository, [path], {}).runs[0]
        assert repository.run(run.run_id).loc[0, "tags"] == ""
        assert "companion_unreadable" not in {finding.code for finding in run.diagnostics}

    def test_findings_name_files_as_people_know_them(self, repository, write, loader, monkeypatch):
        path = write("copy/a.fake")
        read = loader.load

        def load(*asked):
            run = read(*asked)
            run.diagnostics.append(Diagnostic("warning", "odd", f"{path.absolute()} is odd"))
            return run

        monkeypatch.setattr(loader, "load", load)
        run = ingest(repository, [path], {}, places={path: "mine/ä.fake"}).runs[0]
        assert next(f.message for f in run.diagnostics if f.code == "odd") == "mine/ä.fake is odd"

    def test_a_setting_may_be_of_one_loader_alone(self, repository, write, monkeypatch):
        monkeypatch.setattr(ingest_module, "loader_names", lambda: ["fake", "other"])
        run = ingest(repository, [write()], {"M": "1", "fake.M": "64", "other.nonsense": "x"}).runs[
            0
        ]
        assert repository.run(run.run_id)["M"].tolist() == [64]
        reason = ingest(repository, [write()], {"fake.nonsense": "x"}).skipped[0].reason
        assert {"fake", "'nonsense';"} <= {*reason.split()}

    def test_limits_reach_a_loader_that_has_some(self, repository, write, loader):
        asked = []
        loader.with_limits = lambda limits: asked.append(limits) or loader
        ingest(repository, [write()], {}, limits=Limits(memory_mb=7))
        ingest(repository, [write(rows=5)], {})
        assert asked == [Limits(memory_mb=7), Limits()]

    def test_defaults_hold_for_new_runs_only(self, repository, write):
        path = write()
        defaults = {"clock_hz": "1.8e9", "boundary_factor": "9"}
        run = ingest(repository, [path], {}, defaults=defaults).runs[0]
        assert repository.run(run.run_id)["clock_hz"].iloc[0] == 1.8e9
        assert (
            ingest(repository, [path], {}, defaults={"clock_hz": "1e9"}).runs[0].status
            == "unchanged"
        )

    @pytest.mark.parametrize(
        ("title", "reason"),
        [
            ("unreadable", "line 2 is missing"),
            ("broken", "loader fake failed on it: KeyError: 'left out'"),
        ],
    )
    def test_a_bad_file_does_not_stop_the_others(self, repository, write, title, reason):
        answer = ingest(repository, [write("bad.fake", title), write("good.fake")], {})
        assert not answer.ok
        assert [run.status for run in answer.runs] == ["new"]
        assert [(s.path.endswith("bad.fake"), s.reason) for s in answer.skipped] == [(True, reason)]

    def test_a_full_disk_is_the_storages_and_leaves_nothing(self, repository, write, full_disk):
        full_disk(after=0)
        answer = ingest(repository, [write()], {})
        assert answer.failure is not None
        assert answer.skipped[0].reason == answer.failure.public
        assert "disk is full" in answer.failure.public
        assert repository.runs().empty
        assert stored_files(repository) == []
        assert repository.catalogue.pending() == []

    def test_what_was_stored_before_a_disk_was_full_is_told(
        self, repository, write, full_disk, loader
    ):
        full_disk(after=1)  # the frames of the first run
        answer = ingest(
            repository,
            [write("a.fake", "one"), write("b.fake", "two"), write("c.fake", "three")],
            {},
        )
        assert [(run.name, run.status) for run in answer.runs] == [("one", "new")]
        assert [skipped.path.rpartition("/")[2] for skipped in answer.skipped] == [
            "b.fake",
            "c.fake",
        ]
        assert not answer.ok
        assert loader.loads == 2, "what is sure to fail is not tried"
        assert len(stored_files(repository)) == 1
        assert set(answer.as_json()) == {"runs", "skipped"}

    def test_files_that_no_loader_reads_fail_only_where_they_are_named(
        self, repository, write, tmp_path
    ):
        write("tree/good.fake")
        for name in ("index.json", "tile2,1.json", "details.md", "notes.txt"):
            (tmp_path / "tree" / name).write_text("something")
        answer = ingest(repository, [tmp_path / "tree"], {})
        assert answer.ok
        reasons = {entry.path.rpartition("/")[2]: entry.reason for entry in answer.skipped}
        assert reasons.pop("notes.txt").endswith(" fake")
        assert len(reasons) == 3
        assert len({*reasons.values()}) == 1
        named = ingest(repository, [tmp_path / "tree" / "index.json", write()], {})
        assert not named.ok
        assert [entry.path.rpartition("/")[2] for entry in named.skipped] == ["index.json"]

    def test_companions_go_with_their_file_and_count_as_its_content(
        self, repository, write, tmp_path
    ):
        path, note = write("tree/a.fake"), tmp_path / "tree" / "a.note"
        note.write_text("first")
        answer = ingest(repository, [tmp_path / "tree"], {})
        assert answer.ok
        assert [(s.reason, s.failed, s.along) for s in answer.skipped] == [
            ("read along with a.fake", False, True)
        ]
        run = answer.runs[0]
        assert repository.run(run.run_id)[["tags", "companions"]].iloc[0].tolist() == [
            "first",
            "a.note",
        ]
        note.write_text("second")
        again = ingest(repository, [path], {}).runs[0]
        assert (again.run_id, again.status) == (run.run_id, "updated")
        note.unlink()
        assert ingest(repository, [path], {}).runs[0].status == "unchanged", (
            "nothing is lost where less is offered"
        )

    def test_a_newer_reader_reads_again(self, repository, write, loader):
        path = write()
        ingest(repository, [path], {"M": "64"})
        loader.version = "2"
        run = ingest(repository, [path], {}).runs[0]
        assert run.status == "updated"
        assert repository.run(run.run_id)["M"].iloc[0] == 64
        assert repository.run(run.run_id)["reader"].iloc[0].startswith("fake 2")

    def test_a_loader_that_cannot_bundle_reads_the_file_alone(
        self, repository, write, loader, monkeypatch
    ):
        monkeypatch.setattr(loader, "bundle", lambda _path: 1 / 0)
        assert ingest(repository, [write()], {}).ok

    def test_a_missing_file_is_said(self, repository, tmp_path):
        answer = ingest(repository, [tmp_path / "none.json"], {})
        assert not answer.ok
        assert [entry.path for entry in answer.skipped] == [str(tmp_path / "none.json")]

    def test_loader_is_taken_at_its_word(self, repository, tmp_path, loader):
        path = tmp_path / "odd"
        path.write_text("odd first line\ncore0 1 2\n")
        assert not ingest(repository, [path], {}).ok
        assert ingest(repository, [path], {}, loader="fake").runs[0].name == "first"
        reason = ingest(repository, [path], {}, loader="other").skipped[0].reason
        assert "'other'" in reason
        assert reason.endswith(" fake")

    def test_progress_names_every_file(self, repository, write):
        told = Told()
        ingest(repository, [write("a.fake"), write("b.fake", "unreadable")], {}, steps=told)
        assert (told.names, told.starts) == (["a.fake", "b.fake"], [0, 1])
        assert [(index, reason is None) for index, reason in told.ends] == [(0, True), (1, False)]

    def test_an_ingest_can_be_ended(self, repository, write):
        answer = ingest(
            repository, [write("a.fake"), write("b.fake", "two")], {}, steps=Told(until=1)
        )
        assert len(answer.runs) == 1
        (skipped,) = answer.skipped
        assert skipped.path.endswith("b.fake")

    def test_an_upload_is_known_by_its_own_name(self, repository, write):
        path = write("tmp123")
        run = ingest(repository, [path], {}, places={path: "outputs/trace.json"}).runs[0]
        assert repository.run(run.run_id)["file"].iloc[0] == "trace.json"
        path = write("tmp124", "broken")
        answer = ingest(repository, [path], {}, places={path: "bad.json"})
        assert answer.skipped[0].path == "bad.json"

    def test_content_over_the_limit_is_refused(self, repository, write):
        answer = ingest(repository, [write(rows=100)], {}, max_content_bytes=100)
        assert "limit of 100 bytes" in answer.skipped[0].reason

    def test_a_file_that_changes_while_it_is_read_is_refused(
        self, repository, write, loader, monkeypatch
    ):
        path = write()
        load = loader.load

        def grow(*args):
            with path.open("a") as stream:
                stream.write("\ncore0 100 200")
            return load(*args)

        monkeypatch.setattr(loader, "load", grow)
        assert "changed while it was read" in ingest(repository, [path], {}).skipped[0].reason

    def test_a_cut_gzip_is_read_up_to_the_cut_and_said(self, repository, write, tmp_path):
        path = tmp_path / "cut.gz"
        path.write_bytes(gzip.compress(write(rows=5000).read_bytes())[:-6])
        run = ingest(repository, [path], {}).runs[0]
        assert "compression_damaged" in [d.code for d in run.diagnostics]

    def test_an_analysis_that_fails_does_not_lose_the_run(self, repository, write, monkeypatch):
        def fail(_frames):
            raise ZeroDivisionError("no kernels")

        monkeypatch.setattr(summary, "derivable", lambda *_: ("kernels",))
        monkeypatch.setattr(summary, "derive", fail)
        run = ingest(repository, [write()], {}).runs[0]
        assert run.diagnostics[0].code == "analysis_failed"
        row = repository.runs().iloc[0]
        assert (row["errors"], row["warnings"]) == (1, 1)
        assert row[list(METRICS)].isna().all()

    def test_the_answer_is_plain_json(self, repository, write, tmp_path):
        answer = ingest(repository, [write(), tmp_path / "none"], {}).as_json()
        assert json.loads(json.dumps(answer)) == answer
        assert set(answer["runs"][0]) == {
            "file",
            "run_id",
            "source",
            "name",
            "status",
            "frames",
            "diagnostics",
        }
        assert set(answer["runs"][0]["diagnostics"][0]) == {
            "severity",
            "code",
            "message",
            "location",
            "count",
        }
        assert set(answer["skipped"][0]) == {"path", "reason"}

    def test_two_attempts_at_once_give_one_run(self, repository, write, loader, monkeypatch):
        path = write()
        load = loader.load

        def overtaken(*args):
            monkeypatch.setattr(loader, "load", load)
            assert ingest(repository, [path], {}).runs[0].status == "new"
            return load(*args)

        monkeypatch.setattr(loader, "load", overtaken)
        assert ingest(repository, [path], {}).runs[0].status == "unchanged"
        assert len(stored_files(repository)) == 1
        assert repository.catalogue.pending() == []

    def test_settings_hold_against_an_attempt_that_was_quicker(
        self, repository, write, loader, monkeypatch
    ):
        path = write()
        load = loader.load

        def overtaken(*args):
            monkeypatch.setattr(loader, "load", load)
            ingest(repository, [path], {"M": "1"})
            return load(*args)

        monkeypatch.setattr(loader, "load", overtaken)
        run = ingest(repository, [path], {"M": "2"}).runs[0]
        assert run.status == "updated"
        assert repository.run(run.run_id)["M"].iloc[0] == 2
        assert len(stored_files(repository)) == 1
