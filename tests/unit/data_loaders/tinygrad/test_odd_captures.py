"""Odd captures of every generation as whole runs: nothing of them is lost in silence, nothing breaks the schema."""

import pytest

from data_loaders.protocol import LoadedRun, LoadError
from data_loaders.tinygrad.run import read_run
from samples.tinygrad_capture import START, training
from samples.tinygrad_writer import GENERATIONS, Maker
from schema.frames import FRAMES, conform
from tests.support.finding_codes import code_counts
from tilescope.run_contract import check_run

NAMES = {
    "markup": "<img src=x onerror=alert(1)>",
    "template": "%{x}{{7*7}}${x}",
    "formula": "=HYPERLINK(1)",
    "long": "x" * 300,
    "chinese": "设备" * 150,
    "backwards": "\u202ecba",
    "escape codes": "\x1b[31mred\x1b]0;title\x07",
    "null": "a\0b",
    "half a character": "a\ud800b",
    "lines": "a\nb\r\tc",
    "empty": "",
}


def run_of(maker, rewrites=True, strip=False):
    reading = read_run(maker.profile(), maker.rewrites() if rewrites else None, strip)
    frames = {
        name: conform(name, frame) for name, frame in reading.frames.items() if name in FRAMES
    }
    run = LoadedRun({"name": "x"} | reading.metadata, frames, reading.findings)
    check_run(run)
    return run


@pytest.mark.quick_every(9)
@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("name", NAMES)
def test_names_are_kept_as_text_wherever_they_stand(name, generation):
    text = NAMES[name]
    maker = (
        training(generation, 1)
        .range(text, text, START + 5, START + 6)
        .marker(text, START + 7, text)
    )
    maker.alloc(text, 900, 4, START + 8).launch(
        text, 901, text, START + 9, buffers=(900,), values={text: 3}
    )
    maker.program(text, text).kernel(text, text, source=text).context(
        text, (text,), [maker.rewrite(text)]
    )
    maker.counters(text, text, [(text, 1, 1, 1, 1, 1)], [5]).thread_trace(text, text, 3)
    run = run_of(maker)
    shown = text.encode("utf-8", "replace").decode()
    assert shown in run.frames["tracks"]["track"].tolist()
    assert shown in run.frames["allocations"]["level"].tolist()
    assert shown.replace("\x1b[31m", "") in run.frames["markers"]["name"].tolist()
    assert set(run.frames["markers"]["colour"]) == {"gray", "blue"}
    assert shown in run.frames["programs"]["source"].tolist()


@pytest.mark.quick_every(4)
@pytest.mark.parametrize("generation", GENERATIONS)
def test_a_number_that_comes_twice_and_one_that_never_came(generation):
    maker = training(generation, 1).alloc("CPU", 0, 5, START + 50).free("CPU", 77, START + 51)
    maker.free("CPU", 0, START + 52).free("CPU", 0, START + 53)
    run = run_of(maker)
    assert {key: code_counts(run)[key] for key in ("buffer_twice", "free_without_alloc")} == {
        "buffer_twice": 1,
        "free_without_alloc": 2,
    }


@pytest.mark.quick_every(4)
@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_same_launch_marker_and_range_twice_are_two(generation):
    once, maker = run_of(training(generation, 1)), training(generation, 1)
    maker.events *= 2
    twice = run_of(maker)
    for name in ("events", "kernels", "launches", "markers"):
        assert len(twice.frames[name]) == 2 * len(once.frames[name])


@pytest.mark.quick_every(4)
@pytest.mark.parametrize("generation", GENERATIONS)
def test_intervals_that_end_before_they_begin_are_moments(generation):
    run = run_of(training(generation, 1).range("CPU", "back", START + 50, START + 40))
    event = run.frames["events"].set_index("name").loc["back"]
    assert event["start"] == event["end"]
    assert code_counts(run)["interval_backwards"] == 1


@pytest.mark.parametrize("generation", GENERATIONS)
def test_a_capture_of_nothing_is_refused_in_words(generation):
    with pytest.raises(LoadError, match="it contains no events"):
        run_of(Maker(generation), rewrites=False)


_OF_REWRITES = {
    *("contexts", "rewrite_steps", "rewrite_matches", "graph_nodes", "graph_edges"),
    *("programs", "program_options", "calls", "machine_code"),
}


@pytest.mark.parametrize("generation", GENERATIONS)
def test_rewrites_alone_are_a_run_of_contexts_and_programs(generation):
    reading = read_run(training(generation, 1).rewrites(), None, False)
    frames = {name: conform(name, frame) for name, frame in reading.frames.items()}
    check_run(LoadedRun(reading.metadata, frames, reading.findings))
    assert set(frames) == _OF_REWRITES
    assert [len(frames[name]) for name in ("contexts", "programs")] == [3, 2]
    assert reading.findings[0].code == "profile_missing"


@pytest.mark.slow
@pytest.mark.parametrize("tag", [None, 5])
def test_counters_and_thread_traces_before_december_2025_have_no_tag(tag):
    maker = Maker("2025").device("AMD").range("AMD", "r_4", 0, 1).range("AMD", "r_4", 2, 3)
    for value in (7, 8):
        maker.counters("AMD", "r_4", [("BUSY", 1, 1, 1, 1, 1)], [value], tag=tag).thread_trace(
            "AMD", "r_4", 10
        )
    for event in maker.events:
        if tag is None:
            vars(event).pop("exec_tag", None)
    sums = run_of(maker, rewrites=False).frames["counters"].query("instance.isna()")
    assert sums[["kernel", "value"]].to_numpy().tolist() == (
        [[0, 7], [1, 8]] if tag is None else [[0, 7]]
    )


@pytest.mark.quick_every(4)
@pytest.mark.parametrize("generation", GENERATIONS)
def test_stripping_leaves_no_path_anywhere(generation):
    maker = training(generation, 1)
    maker.range("DISK:/home/someone/w.bin", "read", START + 5, START + 6)
    maker.alloc("DISK:/home/someone/w.bin", 9, 1, START + 7)
    path = "DISK:/home/someone/w.bin"
    maker.range("CPU:COPY", f"{path} -> CPU", START + 8, START + 9).marker(path, START + 9)
    maker.launch("CPU", 77, f"copy 4 B, CPU <- {path}", START + 10).context(
        path, (path,), [maker.rewrite(path)]
    )
    run = run_of(maker, strip=True)
    assert "copy 4 B, CPU <- DISK:w.bin" in run.frames["launches"]["name"].tolist()
    assert {"DISK:w.bin -> CPU"} <= set(run.frames["events"]["name"]) & set(
        run.frames["kernels"]["name"]
    )
    said = (
        "".join(frame.to_csv() for frame in run.frames.values())
        + str(run.metadata)
        + str(run.diagnostics)
    )
    assert "someone" not in said
    assert "train.py" not in said
    assert "DISK:w.bin" in said
