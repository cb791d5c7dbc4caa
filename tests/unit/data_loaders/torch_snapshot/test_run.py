"""Memory snapshots of PyTorch: lives of allocations, peaks, owners, what the ring of entries lost, what is refused."""

import pickle

import pytest

from data_loaders.protocol import LoadError
from data_loaders.reading.pickle_scan import UnsafePickleError
from data_loaders.torch_snapshot import call_stacks
from data_loaders.torch_snapshot.child import read_run
from data_loaders.torch_snapshot.values import MAX_SIZE
from schema.memory import MAX_BYTES
from tests.support.finding_codes import codes, only_finding
from tests.support.numbers_in_text import numbers_in
from tests.support.torch_snapshots import (
    BASE,
    FRAMES,
    alloc,
    block,
    entry,
    freed,
    read,
    rows,
    segment,
)


class TestLives:
    def test_an_allocation_lives_from_its_entry_to_its_free(self):
        trace = [alloc(0, 100), alloc(512, 200), freed(0, 100), alloc(0, 50)]
        reading = read(
            [segment(block(512, requested_size=50), block(512, requested_size=200), requested=250)],
            trace,
        )
        assert rows(reading, "size", "start", "end") == [(100, 0, 2), (200, 1, 4), (50, 3, 4)]
        assert not codes(reading)

    def test_what_no_entry_made_was_there_before(self):
        held = block(512, address=BASE + 1024, requested_size=70, frames=FRAMES)
        reading = read([segment(held, requested=70)], [freed(2048, 30), alloc(0, 10), freed(0, 10)])
        assert sorted(rows(reading, "size", "start", "end")) == [(10, 1, 2), (30, 0, 1), (70, 0, 3)]

    def test_blocks_of_old_files_follow_each_other_and_count_as_they_are_rounded(self):
        reading = read([segment(block(512), block(1024, "inactive"), block(512))], [])
        assert rows(reading, "size", "start", "end") == [(512, 0, 1), (512, 0, 1)]
        assert len(set(reading.frames["allocations"]["address"])) == 2

    def test_an_address_that_is_given_out_or_taken_back_twice_is_a_lost_entry(self):
        for trace in ([alloc(0, 10), alloc(0, 20)], [freed(0, 10), freed(0, 10)]):
            assert "trace_incomplete" in codes(read([], trace))

    def test_bytes_that_do_not_add_up_are_said(self):
        reading = read([segment(block(512, requested_size=50), requested=60)], [alloc(0, 50)])
        assert codes(reading) == ["trace_incomplete"]


class TestDevices:
    def test_each_device_with_something_is_an_attempt(self):
        reading = read(
            [segment(block(512, requested_size=5), device=1)], [alloc(0, 10)], [], [alloc(0, 20)]
        )
        attempts = reading.frames["attempts"]
        assert attempts["level"].tolist() == ["cuda:0", "cuda:1", "cuda:2"]
        assert attempts["reported_bytes"].fillna(-1).tolist() == [-1, 512, -1]

    def test_reserved_bytes_are_no_capacity(self):
        trace = [
            entry("segment_alloc", 4096, 8192),
            entry("segment_free", 4096, 8192),
            entry("segment_map", 0, 4096),
        ]
        frames = read([segment(total=4096)], trace).frames
        assert frames["attempts"]["capacity"].isna().all()
        assert frames["device_memory"]["peak_reserved"].tolist() == [8192]

    @pytest.mark.parametrize(
        "said",
        [
            {"allocator_settings": {"expandable_segments": True}},
            {"segments": [segment(is_expandable=True)]},
        ],
    )
    def test_expandable_segments_are_the_strategy(self, said):
        reading = read_run(
            [pickle.dumps({"segments": [segment()], "device_traces": [[]]} | said, 4)]
        )
        assert reading.frames["attempts"]["strategy"].tolist() == ["expandable_segments"]


class TestNames:
    def test_an_owner_is_the_innermost_line_of_python_without_its_folder(self):
        assert rows(read([], [alloc(0, 1)]), "name") == [("model.py:31 forward",)]

    def test_without_one_it_is_the_device_and_the_rank(self):
        assert rows(read([], [alloc(0, 1) | {"frames": None}]), "name") == [("device 0 #0",)]

    def test_a_block_of_2022_has_the_frames_of_its_history(self):
        assert rows(read([segment(block(512, history=[{"frames": FRAMES}]))], []), "name") == [
            ("model.py:31 forward",)
        ]


class TestCallStacks:
    def test_a_stack_has_its_lines_of_python_innermost_first(self):
        reading = read([], [alloc(0, 1), alloc(512, 1) | {"frames": None}])
        assert reading.frames["allocations"]["stack"].fillna(-1).tolist() == [0, -1]
        calls = (
            reading.frames["calls"][["stack", "depth", "file", "line", "function"]]
            .to_numpy()
            .tolist()
        )
        assert calls == [[0, 0, "model.py", 31, "forward"], [0, 1, "train.py", 5, "main"]]

    def test_a_stack_of_cpp_frames_alone_is_a_stack(self):
        frames = [
            {"name": "torch::unwind::unwind()", "filename": "??", "line": 0},
            {
                "name": "torch::cuda::(anonymous namespace)::gather_with_cpp()",
                "filename": "memory_snapshot.cpp",
                "line": 0,
            },
            {
                "name": "c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(int)",
                "filename": "CUDACachingAllocator.cpp",
                "line": 0,
            },
            {"name": "at::detail::empty_cuda(int)", "filename": "", "line": 0},
            {"name": "at::native::empty_cuda(int)", "filename": "??", "line": 0},
            {"name": "serve", "filename": "/src/server/serve.cpp", "line": 12},
            {"name": "??", "filename": "??", "line": 0},
            {"name": "", "filename": "", "line": 0},
        ]
        reading = read([], [entry("alloc", 0, 10, frames=frames), alloc(512, 20)])
        assert rows(reading, "name", "stack") == [
            ("C++ at::native::empty_cuda(int)", 0),
            ("model.py:31 forward", 1),
        ]
        calls = reading.frames["calls"]
        assert calls.loc[
            calls["stack"] == 0, ["depth", "file", "function"]
        ].to_numpy().tolist() == [
            [0, "C++", "at::native::empty_cuda(int)"],
            [1, "serve.cpp", "serve"],
        ]

    def test_frames_that_name_no_function_are_no_stack(self):
        frames = [{"name": "torch::unwind::unwind()", "filename": "??", "line": 0}]
        reading = read([], [entry("alloc", 0, 10, frames=frames)])
        assert reading.frames["allocations"]["stack"].isna().all()

    def test_equal_stacks_are_one(self):
        copied = [dict(frame) for frame in FRAMES]
        other = [FRAMES[2]]
        trace = [
            alloc(512 * rank, 1) | {"frames": own}
            for rank, own in enumerate((FRAMES, copied, other, FRAMES))
        ]
        assert read([], trace).frames["allocations"]["stack"].tolist() == [0, 0, 1, 0]

    def test_a_line_that_is_no_number_is_not_known(self):
        frames = [{"name": "f", "filename": "a.py", "line": "3"}]
        reading = read([], [alloc(0, 1) | {"frames": frames}])
        assert reading.frames["calls"]["line"].isna().all()
        assert rows(reading, "name") == [("a.py f",)]

    def test_beyond_the_limit_the_innermost_line_is_kept_and_it_is_said(self, monkeypatch):
        monkeypatch.setattr(call_stacks, "_MAX_CALLS", 3)
        reading = read([], [alloc(0, 1), alloc(512, 1) | {"frames": [FRAMES[2], FRAMES[1]]}])
        assert reading.frames["calls"]["stack"].tolist() == [0, 0, 1]
        assert "stacks_shortened" in codes(reading)
        assert rows(reading, "name")[1] == ("train.py:5 main",)

    def test_addresses_of_the_device_are_kept(self):
        assert rows(read([], [alloc(64, 1)]), "device_address") == [(BASE + 64,)]


class TestAnnotations:
    def test_they_are_markers_and_events_in_steps(self):
        marks = [
            {"name": "step", "stage": stage, "time_us": at, "device": 0}
            for stage, at in (("START", 5), ("END", 25))
        ]
        marks.append({"name": "open", "stage": "START", "time_us": 15, "device": 0})
        reading = read(
            [], [alloc(0, 1, 10), alloc(512, 1, 20), alloc(1024, 1, 30)], external_annotations=marks
        )
        assert reading.frames["markers"][["name", "start"]].to_numpy().tolist() == [
            ["step", 0],
            ["open", 1],
        ]
        events = reading.frames["events"]
        assert events[["start", "end", "closed"]].to_numpy().tolist() == [
            [0, 2, True],
            [1, 3, False],
        ]

    def test_without_times_there_is_no_place_for_them(self):
        marks = [{"name": "step", "stage": "START", "time_us": 5, "device": 0}]
        assert not len(read([], [alloc(0, 1)], external_annotations=marks).frames["markers"])


def test_running_out_of_memory_says_what_was_asked_for():
    reading = read([], [alloc(0, 1), entry("oom", 0, 3 << 20, device_free=1 << 20)])
    said = only_finding(reading, "out_of_memory")
    assert {"3.00 MiB", "1.00 MiB"} <= set(numbers_in(said.message))
    assert said.location == "cuda:0, step 1"


class TestRefused:
    @pytest.mark.parametrize(
        "root",
        [
            [],
            {"segments": []},
            {"segments": {}, "device_traces": []},
            {"segments": [], "device_traces": []},
            {"segments": [], "device_traces": [[]]},
        ],
    )
    def test_what_is_no_snapshot(self, root):
        with pytest.raises(LoadError):
            read_run([pickle.dumps(root, 4)])

    def test_one_list_in_many_places(self):
        shared = [alloc(0, 1)] * 200
        with pytest.raises(LoadError, match="expands"):
            read_run([pickle.dumps({"segments": [], "device_traces": [shared] * 100}, 4)])

    def test_bytes_that_no_machine_has(self):
        with pytest.raises(LoadError, match="limit of a machine"):
            read([], [alloc(rank * 512, MAX_SIZE - 1) for rank in range(MAX_BYTES // MAX_SIZE + 1)])

    def test_anything_that_names_a_class(self):
        with pytest.raises(UnsafePickleError):
            read_run([pickle.dumps({"segments": [], "device_traces": [{1, 2}]}, 4)])

    @pytest.mark.parametrize(
        "odd",
        [
            5,
            {"action": 7},
            {"action": "alloc"},
            {"action": "alloc", "addr": -1, "size": 5},
            {"action": "future"},
        ],
    )
    def test_odd_entries_are_steps_in_which_nothing_happens(self, odd):
        reading = read([], [alloc(0, 10), odd])
        assert rows(reading, "size", "end") == [(10, 2)]
        assert len(reading.frames["steps"]) == 2
