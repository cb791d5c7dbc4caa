"""The loader of tinygrad captures: which files are its own and belong together, and that strangers' are refused."""

import gzip
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from data_loaders.protocol import Bundle, LoadError
from data_loaders.reading.files import RATIO_FLOOR_BYTES
from data_loaders.reading.limits import Limits
from data_loaders.tinygrad.profile import TinygradLoader
from samples.tinygrad_capture import training
from samples.tinygrad_objects import dumps
from samples.tinygrad_writer import GENERATIONS, Maker
from schema.frames import conform
from tests.support.finding_codes import only_finding
from tests.support.numbers_in_text import without_numbers
from tests.support.tinygrad_export import export_lines
from tests.unit.data_loaders.tinygrad.test_child import BOMB
from tilescope.run_contract import check_run

LOADER = TinygradLoader(Limits(processor_s=2))


def write(folder, **files):
    """Write files; `__` stands for a dot, and content may be a maker's."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_bytes(content)
    return folder


class TestSniff:
    @pytest.mark.parametrize("generation", GENERATIONS)
    @pytest.mark.parametrize("protocol", [4, 5])
    def test_captures_of_every_generation_are_claimed(self, generation, protocol, tmp_path):
        maker = training(generation)
        for content in (maker.profile(protocol), maker.rewrites(protocol), export_lines().encode()):
            assert LOADER.sniff(tmp_path / "x", content[:65536]) is None

    @pytest.mark.parametrize(
        ("content", "why"),
        [
            (pickle.dumps([1, 2], 4), "profiler classes of tinygrad"),
            (pickle.dumps(["tinygrad.helpers", "x"], 4), "profiler classes of tinygrad"),
            (pickle.dumps(pd.DataFrame({"a": [1]}), 5), "profiler classes of tinygrad"),
            (pickle.dumps("ProfileRangeEvent", 0), "neither a pickle"),
            (b"ProfileRangeEvent tinygrad.helpers", "neither a pickle"),
            (b"", "empty"),
        ],
    )
    def test_other_files_are_not(self, content, why, tmp_path):
        assert why in LOADER.sniff(tmp_path / "profile.pkl", content)

    def test_looking_executes_nothing(self, tmp_path):
        class Call:
            def __reduce__(self):
                return os.system, (f"touch {tmp_path / 'executed'}",)

        LOADER.sniff(tmp_path / "x", dumps([Maker().range("CPU", "k", 0, 1).events, Call()]))
        assert not (tmp_path / "executed").exists()


class TestBundle:
    def bundle(self, folder, name):
        found = LOADER.bundle(folder / name)
        return found.primary.name, [path.name for path in found.companions]

    @pytest.mark.parametrize(
        ("profile", "rewrites"),
        [
            ("profile.pkl", "rewrites.pkl"),
            ("profile.pkl.someone", "rewrites.pkl.someone"),
            ("gemm.profile.pkl", "gemm.rewrites.pkl"),
            ("profile.pkl.gz", "rewrites.pkl.gz"),
            ("profile.pkl", "rewrites.pkl.gz"),
        ],
    )
    def test_rewrites_go_with_their_profile(self, profile, rewrites, tmp_path):
        write(tmp_path, **{profile.replace(".", "__"): b"", rewrites.replace(".", "__"): b""})
        assert (
            self.bundle(tmp_path, profile)
            == self.bundle(tmp_path, rewrites)
            == (profile, [rewrites])
        )

    def test_several_in_a_folder_keep_apart(self, tmp_path):
        write(
            tmp_path,
            a__profile__pkl=b"",
            b__profile__pkl=b"",
            a__rewrites__pkl=b"",
            c__rewrites__pkl=b"",
        )
        assert self.bundle(tmp_path, "a.profile.pkl") == ("a.profile.pkl", ["a.rewrites.pkl"])
        assert self.bundle(tmp_path, "b.profile.pkl") == ("b.profile.pkl", [])
        assert self.bundle(tmp_path, "c.rewrites.pkl") == ("c.rewrites.pkl", [])

    @pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
    def test_what_is_no_file_is_no_companion(self, make, tmp_path):
        write(tmp_path, profile__pkl=b"")
        make(tmp_path / "x.rewrites.pkl")
        assert self.bundle(tmp_path, "profile.pkl") == ("profile.pkl", [])

    def test_other_files_are_alone(self, tmp_path):
        write(tmp_path, events__jsonl=b"", profile__pkl=b"", rewrites__pkl=b"")
        assert LOADER.bundle(tmp_path / "events.jsonl") == Bundle(tmp_path / "events.jsonl")


class TestLoad:
    @pytest.mark.quick_every(4)
    @pytest.mark.parametrize("generation", GENERATIONS)
    def test_a_capture_becomes_a_run(self, generation, tmp_path):
        maker = training(generation)
        folder = write(
            tmp_path / "night run", profile__pkl=maker.profile(), rewrites__pkl=maker.rewrites()
        )
        found = LOADER.bundle(folder / "profile.pkl")
        run = LOADER.load(found.primary, {}, None, found.companions)
        assert run.metadata == {"name": "night run", "hwid": "CPU", "time_unit": "ns"}
        assert len(run.frames["events"]) == 22
        for name, frame in run.frames.items():
            pd.testing.assert_frame_equal(conform(name, frame), frame)

    def test_settings_name_the_run(self, tmp_path):
        path = write(tmp_path, profile__pkl=training().profile()) / "profile.pkl"
        said = {"name": "mine", "hwid": "lab 3", "tags": "a b", "strip_tracebacks": "True"}
        run = LOADER.load(path, said)
        assert run.metadata == {"name": "mine", "hwid": "lab 3", "tags": "a b", "time_unit": "ns"}
        assert "tracebacks_stripped" in {finding.code for finding in run.diagnostics}

    def test_a_setting_that_is_no_answer_is_refused(self, tmp_path):
        path = write(tmp_path, profile__pkl=training().profile()) / "profile.pkl"
        with pytest.raises(LoadError, match=r"strip_tracebacks=perhaps: .*true"):
            LOADER.load(path, {"strip_tracebacks": "perhaps"})

    @pytest.mark.parametrize(
        ("origin", "name"),
        [
            ("gemm/profile.pkl", "gemm"),
            ("C:\\runs\\gemm\\profile.pkl.me", "gemm"),
            ("runs/conv.profile.pkl", "conv"),
            ("runs/conv-profile.pkl.gz", "conv"),
            ("profile.pkl", "tinygrad profile"),
            ("runs/events.jsonl.gz", "events"),
        ],
    )
    def test_a_run_is_called_as_its_folder_or_its_file(self, origin, name, tmp_path):
        path = write(tmp_path, upload=training().profile()) / "upload"
        assert LOADER.load(path, {}, origin).metadata["name"] == name

    def test_gzip_is_read_the_same(self, tmp_path):
        path = write(tmp_path, profile__pkl=gzip.compress(training().profile())) / "profile.pkl"
        assert len(LOADER.load(path, {}).frames["events"]) == 22

    @pytest.mark.slow
    def test_a_companion_at_which_the_reader_dies_costs_itself(self, tmp_path):
        folder = write(tmp_path, profile__pkl=training().profile(), rewrites__pkl=BOMB)
        run = LOADER.load(folder / "profile.pkl", {}, None, (folder / "rewrites.pkl",))
        assert len(run.frames["events"]) == 22
        said = only_finding(run, "rewrites_unread")
        assert without_numbers(said.message.replace("rewrites.pkl", ""))

    @pytest.mark.parametrize(
        ("rewrites", "limits", "why"),
        [
            (b"\x80\x04(" + b"}" * 8_000_000 + b"t.", Limits(memory_mb=300), "300 MiB"),
            (gzip.compress(b"\0" * (RATIO_FLOOR_BYTES + 4_000_000)), Limits(), "250 times"),
        ],
        ids=["memory", "bomb"],
    )
    def test_a_companion_that_is_too_much_costs_itself(self, rewrites, limits, why, tmp_path):
        folder = write(tmp_path, profile__pkl=training().profile(), rewrites__pkl=rewrites)
        run = LOADER.with_limits(limits).load(
            folder / "profile.pkl", {}, None, (folder / "rewrites.pkl",)
        )
        assert len(run.frames["events"]) == 22
        said = only_finding(run, "rewrites_unread")
        assert why in said.message

    def test_a_profile_that_is_refused_is_so_with_rewrites_too(self, tmp_path):
        folder = write(
            tmp_path, profile__pkl=pickle.dumps(os.system, 4), rewrites__pkl=training().rewrites()
        )
        with pytest.raises(LoadError, match=r"it names posix\.system"):
            LOADER.load(folder / "profile.pkl", {}, None, (folder / "rewrites.pkl",))

    def test_rewrites_alone_are_read_and_what_is_missing_is_said(self, tmp_path):
        path = write(tmp_path, rewrites__pkl=training().rewrites()) / "rewrites.pkl"
        run = LOADER.load(path, {})
        check_run(run)
        assert {name: len(run.frames[name]) for name in ("contexts", "programs")} == {
            "contexts": 3,
            "programs": 2,
        }
        assert "events" not in run.frames
        assert next(finding.code for finding in run.diagnostics) == "profile_missing"

    def test_rewrites_without_contexts_are_refused(self, tmp_path):
        path = write(tmp_path, rewrites__pkl=Maker().rewrites()) / "rewrites.pkl"
        with pytest.raises(LoadError, match="it contains no events"):
            LOADER.load(path, {})

    def test_peaks_of_the_device_are_settings(self, tmp_path):
        path = write(tmp_path, profile__pkl=training().profile()) / "profile.pkl"
        run = LOADER.load(path, {"peak_flops": "4TFLOP/s", "peak_bytes_per_s": "900 GB/s"})
        assert (run.metadata["peak_flops"], run.metadata["peak_bytes_per_s"]) == (4e12, 9e11)
        with pytest.raises(LoadError, match=r"peak_flops=fast: .*4TFLOPS"):
            LOADER.load(path, {"peak_flops": "fast"})

    def test_limits_can_be_others(self, tmp_path):
        path = write(tmp_path, profile__pkl=b"\x80\x04(" + b"}" * 8_000_000 + b"t.") / "profile.pkl"
        with pytest.raises(LoadError, match="300 MiB"):
            LOADER.with_limits(Limits(memory_mb=300)).load(path, {})

    def test_a_file_that_is_gone_is_a_sentence(self, tmp_path):
        with pytest.raises(LoadError, match="cannot be opened"):
            LOADER.load(tmp_path / "gone.pkl", {})


class TestStrangers:
    @pytest.mark.parametrize(
        ("content", "why"),
        [
            (BOMB, "processor time"),
            (b"\x80\x04cos\nsystem\n(S'touch x'\ntR.", "opcode GLOBAL"),
            (pickle.dumps(os.system, 4), "it names posix.system"),
            (pickle.dumps(1, 4)[:-1], "cut off"),
            (pickle.dumps([1], 4) + b"zzz", "3 bytes after"),
            (b"\x80\x04" + b"(" * 2_000_000 + b"t" * 2_000_000 + b".", "neither a list of events"),
            (b"PK\x03\x04" + b"\0" * 64, "neither a pickle"),
            (b"", "the file is empty"),
        ],
    )
    def test_they_are_refused_in_a_sentence_with_the_files_name(self, content, why, tmp_path):
        path = write(tmp_path, profile__pkl=content) / "profile.pkl"
        with pytest.raises(LoadError) as caught:
            LOADER.load(path, {})
        assert str(caught.value).startswith(f"{path}: ")
        assert why in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_the_web_process_cannot_unpickle(self):
        check = "import sys, data_loaders.tinygrad.profile; print([m for m in sys.modules if 'safe_pickle' in m])"
        done = subprocess.run(
            [sys.executable, "-c", check], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "[]"
