"""Captures of every generation, damaged: bytes, opcodes, frames and fields that are others than a capture has.

All of it in this process, without limits, but for a few through the loader and its own.
"""

import pickletools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_loaders.protocol import LoadedRun, LoadError
from data_loaders.reading.limits import Limits
from data_loaders.reading.pickle_scan import UnsafePickleError
from data_loaders.tinygrad.profile import TinygradLoader
from data_loaders.tinygrad.run import read_export, read_run
from samples.tinygrad_capture import training
from samples.tinygrad_writer import GENERATIONS
from schema.frames import FRAMES, conform
from tests.support.tinygrad_export import export_lines
from tilescope.run_contract import check_run

KINDS = ("profile", "rewrites")
WHOLE = {
    (generation, kind): getattr(training(generation, 1), kind)()
    for generation in GENERATIONS
    for kind in KINDS
}
OPCODES = {
    key: [(position, info.code.encode("latin-1")) for info, _, position in pickletools.genops(data)]
    for key, data in WHOLE.items()
}
SAME_LENGTH = (
    b"()NR]abestu}\x81\x85\x86\x87\x88\x89\x93\x94.",
    b"Kh",
    b"Jj",
    b"\x8cC\x8a",
    b"XB\x8b",
)
"""Opcodes by how many bytes of arguments follow them."""
EXAMPLES = settings().max_examples
SLOW = settings(max_examples=EXAMPLES * 3 // 10, suppress_health_check=[HealthCheck.too_slow])
"""A capture takes hundredths of a second, so fewer of them; still as many more in `make fuzz`."""


def outcome(profile, rewrites=None, strip=False):
    """Read a capture and check the run that it gives; None where it was refused in one sentence."""
    return checked(lambda: read_run(profile, rewrites, strip))


def checked(read):
    """Check the run of a reading; None where the file was refused in one sentence."""
    try:
        reading = read()
    except (LoadError, UnsafePickleError) as error:
        assert str(error)
        assert "\n" not in str(error)
        return None
    frames = {
        name: conform(name, frame) for name, frame in reading.frames.items() if name in FRAMES
    }
    run = LoadedRun({"name": "x"} | reading.metadata, frames, reading.findings)
    check_run(run)
    return run


def damaged(data, key, change):
    """Read a generation's capture with one of its files changed."""
    generation, kind = key
    files = {other: WHOLE[generation, other] for other in KINDS}
    files[kind] = change(data, bytes(files[kind]), OPCODES[key])
    return outcome(files["profile"], files["rewrites"], data.draw(st.booleans()))


def flip(data, content, _opcodes):
    changed = bytearray(content)
    for _ in range(data.draw(st.integers(1, 6))):
        changed[data.draw(st.integers(2, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    return bytes(changed)


def splice(data, content, _opcodes):
    changed = bytearray(content)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(2, len(changed) - 1))
        changed[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    return bytes(changed)


def cut(data, content, opcodes):
    at = data.draw(
        st.integers(1, len(content) - 1)
        | st.sampled_from([position for position, _ in opcodes[1:]])
    )
    return content[:at] + data.draw(st.sampled_from([b"", b".", b"e.", b"ue.", b"t."]))


def swap(data, content, opcodes):
    """Put other opcodes with arguments of the same length into the place of some."""
    changed = bytearray(content)
    for _ in range(data.draw(st.integers(1, 4))):
        position, code = data.draw(st.sampled_from(opcodes[2:]))
        others = next((group for group in SAME_LENGTH if code in group), code)
        changed[position] = data.draw(st.sampled_from(others))
    return bytes(changed)


def repeat(data, content, opcodes):
    """Leave out or repeat some opcodes, or put them where others are."""
    places = [position for position, _ in opcodes[2:]]
    first, last, to = (data.draw(st.sampled_from(places)) for _ in range(3))
    part = content[min(first, last) : max(first, last)][:20_000]
    kept = content[:to] + part * data.draw(st.integers(0, 3)) + content[to:]
    return kept if data.draw(st.booleans()) else kept.replace(part, b"", 1)


def frame(data, content, opcodes):
    """Repeat a frame, leave one out, or let one say another length."""
    starts = [position for position, code in opcodes if code == b"\x95"]
    at = data.draw(st.sampled_from(starts))
    end = at + 9 + int.from_bytes(content[at + 1 : at + 9], "little")
    length = data.draw(st.integers(0, 2**64 - 1) | st.integers(0, len(content))).to_bytes(
        8, "little"
    )
    ways = [content[:end] + content[at:end] + content[end:], content[:at] + content[end:]]
    ways += [content[:at] + content[at + 9 :], content[: at + 1] + length + content[at + 9 :]]
    return data.draw(st.sampled_from(ways))


@pytest.mark.quick_every(6)
@pytest.mark.parametrize(
    "change", [flip, splice, cut, swap, repeat, frame], ids=lambda change: change.__name__
)
@SLOW
@given(data=st.data(), key=st.sampled_from(sorted(WHOLE)))
def test_damaged_captures_give_runs_or_a_sentence(change, data, key):
    damaged(data, key, change)


@pytest.mark.slow
@SLOW
@given(data=st.data(), generation=st.sampled_from(GENERATIONS))
def test_mixed_files_give_runs_or_a_sentence(data, generation):
    """A capture beside the rewrites of another version, or in the place of the rewrites."""
    first, second = (data.draw(st.sampled_from(sorted(WHOLE))) for _ in range(2))
    outcome(WHOLE[first], WHOLE[second])
    assert outcome(WHOLE[generation, "profile"], WHOLE[second]) is not None


@pytest.mark.parametrize("change", [flip, splice], ids=lambda change: change.__name__)
@SLOW
@given(data=st.data())
def test_damaged_exports_give_runs_or_a_sentence(change, data):
    content = change(data, export_lines().encode(), [])
    kept = content[: len(content) - data.draw(st.integers(0, len(content) - 1))]
    checked(lambda: read_export(kept, data.draw(st.booleans())))


FIELD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.binary(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3), inner)
    ),
    max_leaves=5,
)


@pytest.mark.slow
@SLOW
@given(data=st.data(), generation=st.sampled_from(GENERATIONS))
def test_fields_of_any_kind_give_runs_or_a_sentence(data, generation):
    maker = training(generation, 1)
    objects = [*maker.events, *maker.keys, *(step for steps in maker.steps for step in steps)]
    for _ in range(data.draw(st.integers(1, 5))):
        fields = data.draw(st.sampled_from(objects)).__dict__
        name = data.draw(st.sampled_from(sorted(fields)))
        if isinstance(fields[name], dict) and fields[name] and data.draw(st.booleans()):
            inner = data.draw(st.sampled_from(sorted(map(str, fields[name]))))
            fields[name] = {**fields[name], inner: data.draw(FIELD)}
        else:
            fields[name] = data.draw(FIELD)
    outcome(maker.profile(), maker.rewrites(), data.draw(st.booleans()))


@settings(
    max_examples=EXAMPLES // 10,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    data=st.data(), key=st.sampled_from(sorted(WHOLE)), change=st.sampled_from([flip, swap, repeat])
)
def test_the_loader_says_the_same_of_damaged_captures(data, key, change, tmp_path):
    content = change(data, WHOLE[key], OPCODES[key])
    path = tmp_path / "profile.pkl"
    path.write_bytes(content)
    here = outcome(content)
    try:
        there = TinygradLoader(Limits(processor_s=10)).load(path, {})
    except LoadError:
        there = None
    assert (here is None) == (there is None)
    if here is not None:
        assert rows_of(here) == rows_of(there)
        assert here.diagnostics == there.diagnostics


def rows_of(run):
    return {name: len(frame) for name, frame in run.frames.items() if len(frame)}
