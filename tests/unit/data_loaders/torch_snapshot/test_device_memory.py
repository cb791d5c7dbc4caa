"""Peaks, pools, reserved bytes over time and failed requests of a snapshot's devices."""

import pytest

from tests.support.torch_snapshots import BASE, alloc, block, entry, freed, read, segment

HIGH = 2**62 + 2**20


def values(frame, *columns):
    return frame[[*columns]].to_numpy().tolist()


def numbers(reading, *columns):
    return values(reading.frames["device_memory"], "device", *columns)


def test_peaks_and_ends_are_per_device():
    trace = [alloc(0, 100), alloc(512, 200), freed(0, 100), alloc(1024, 50)]
    other = [
        entry("segment_alloc", 0, 8192),
        alloc(0, 4000),
        freed(0, 4000),
        entry("segment_free", 0, 8192),
    ]
    kept = [block(512, requested_size=size) for size in (0, 200, 50)]
    reading = read([segment(*kept)], trace, other)
    assert numbers(reading, "entries", "peak_allocated", "peak_at", "end_allocated") == [
        ["cuda:0", 4, 300, 1, 250],
        ["cuda:1", 4, 4000, 1, 0],
    ]
    assert numbers(reading, "peak_reserved", "end_reserved") == [
        ["cuda:0", 4096, 4096],
        ["cuda:1", 8192, 0],
    ]


def test_the_line_that_allocated_at_the_peak_is_named():
    assert numbers(read([], [alloc(0, 1), alloc(512, 9)]), "python") == [
        ["cuda:0", "model.py:31 forward"]
    ]


def test_without_entries_there_is_an_end_and_no_peak():
    reading = read([segment(block(512, requested_size=70))], [], [])
    row = reading.frames["device_memory"].iloc[0]
    assert row[["peak_allocated", "peak_reserved", "peak_at", "python"]].isna().all()
    assert (row["end_allocated"], row["end_reserved"]) == (70, 4096)


def test_a_device_without_entries_beside_one_with_entries_did_not_change():
    reading = read([segment(block(512, requested_size=70), device=1)], [alloc(0, 1)])
    assert numbers(reading, "peak_allocated", "peak_reserved")[1] == ["cuda:1", 70, 4096]


def test_reserved_bytes_are_listed_where_they_change():
    trace = [
        alloc(0, 1),
        entry("segment_alloc", 8192, 8192),
        freed(0, 1),
        entry("segment_free", 8192, 8192),
    ]
    counters = read([segment()], trace).frames["counters"]
    assert values(counters, "track", "name", "start", "value") == [
        ["cuda:0", "cuda:0 reserved", 0, 4096.0],
        ["cuda:0", "cuda:0 reserved", 1, 12288.0],
        ["cuda:0", "cuda:0 reserved", 3, 4096.0],
    ]


class TestPools:
    def pools(self, segments, *traces):
        frame = read(segments, *traces).frames["memory_pools"]
        return values(frame, "pool", "peak_allocated", "peak_reserved", "end_reserved")

    def test_private_pools_are_apart(self):
        graph = segment(block(512), segment_pool_id=(0, 3), total=1024)
        graph["address"] = BASE + 4096
        trace = [alloc(0, 300), freed(0, 300), alloc(4096, 200)]
        assert self.pools([segment(), graph], trace) == [
            ["default", 300, 4096, 4096],
            ["pool 0,3", 200, 1024, 1024],
        ]

    def test_a_segment_that_was_given_back_has_no_known_pool(self):
        trace = [
            entry("segment_alloc", 8192, 8192),
            alloc(8192, 500),
            freed(8192, 500),
            entry("segment_free", 8192, 8192),
        ]
        assert self.pools([segment()], trace) == [
            ["default", 0, 4096, 4096],
            ["given back", 500, 8192, 0],
        ]

    @pytest.mark.parametrize("name", [None, "x", (1,), (1, -1), (1, "x")])
    def test_an_invalid_pool_is_the_default(self, name):
        assert self.pools([segment(segment_pool_id=name)], [alloc(0, 1)])[0][0] == "default"

    def test_small_pools_share_a_row(self):
        segments = [
            segment(total=1024 + 512 * rank, segment_pool_id=(0, 1 + rank)) for rank in range(25)
        ]
        for rank, one in enumerate(segments):
            one["address"] = BASE + (rank << 20)
        rows = self.pools(segments, [alloc(0, 1)])
        assert len(rows) == 21
        assert rows[-1][0] == "others"
        assert sum(row[3] for row in rows) == sum(one["total_size"] for one in segments)


class TestOutOfMemory:
    def failures(self, segments, trace):
        frame = read(segments, trace).frames["out_of_memory"]
        return values(
            frame, "step", "requested", "device_free", "allocated", "reserved", "largest_free"
        )

    def test_bytes_are_those_of_the_moment(self):
        trace = [
            alloc(0, 1000),
            entry("oom", 0, 5000, device_free=7),
            freed(0, 1000),
            entry("segment_free", 8192, 2048),
        ]
        assert self.failures([segment()], trace) == [[1, 5000, 7, 1000, 4096 + 2048, 3072]]

    def test_a_request_without_sizes_is_listed(self):
        row = read([], [alloc(0, 1), entry("oom", 0, -1)]).frames["out_of_memory"].iloc[0]
        assert row[["requested", "device_free", "largest_free"]].isna().all()

    def test_no_free_range_spans_two_segments(self):
        behind = segment(total=2048)
        behind["address"] = BASE + 4096
        assert self.failures([segment(), behind], [entry("oom", 0, 9)])[0][-1] == 4096

    def test_a_segment_that_grows_has_one_free_range(self):
        trace = [
            entry("segment_map", 0, 2048),
            entry("segment_map", 2048, 2048),
            entry("oom", 0, 9),
        ]
        grown = segment(total=4096, is_expandable=True)
        assert self.failures([grown], trace)[0][-1] == 4096

    def test_a_segment_of_later_is_not_free_yet(self):
        trace = [entry("oom", 0, 9), entry("segment_alloc", 0, 4096)]
        assert read([segment()], trace).frames["out_of_memory"]["largest_free"].isna().all()

    def test_the_largest_requests_have_their_free_range(self):
        trace = [entry("oom", 0, 100 + rank) for rank in range(12)]
        frame = read([segment()], trace).frames["out_of_memory"]
        assert frame["largest_free"].isna().tolist() == [True] * 2 + [False] * 10

    def test_addresses_use_all_64_bits(self):
        for base in (HIGH, 0xFF << 56):
            own = segment(total=4096) | {"address": base}
            trace = [
                {"action": "alloc", "addr": base, "size": 512, "time_us": 1},
                entry("oom", 0, 9),
            ]
            assert self.failures([own], trace)[0][-1] == 3584
