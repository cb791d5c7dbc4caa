import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.aie.names import event_name, process_unit


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Event0", "INSTR_EVENT_0"),
        ("Event1", "INSTR_EVENT_1"),
        ("VectorInstr", "INSTR_VECTOR"),
        ("LoadInstr", "INSTR_LOAD"),
        ("StoreInstr", "INSTR_STORE"),
        ("LockAcquireInstr", "INSTR_LOCK_ACQUIRE_REQ"),
        ("LockReleaseInstr", "INSTR_LOCK_RELEASE_REQ"),
        ("True", "TRUE"),
        ("LockStall", "LOCK_STALL"),
        ("MemoryStall", "MEMORY_STALL"),
        ("StreamStall", "STREAM_STALL"),
        ("CascadeStall", "CASCADE_STALL"),
        ("PortRunning0", "PORT_RUNNING_0"),
        ("PortRunning7", "PORT_RUNNING_7"),
        ("DmaS2MM0StartTask", "DMA_S2MM_0_START_TASK"),
        ("DmaMM2S1FinishedBd", "DMA_MM2S_1_FINISHED_BD"),
        ("DmaS2Mm0StalledLock", "DMA_S2MM_0_STALLED_LOCK"),
    ],
)
def test_d17_old_names_are_read_in_todays_spelling(old, new):
    assert event_name(old) == new


@pytest.mark.parametrize(
    "name",
    [
        "INSTR_EVENT_0",
        "PORT_RUNNING_0",
        "NONE",
        "Unknown",
        "TRUE",
        "",
        "lower",
        "<b>Bold</b>",
        "Two Words",
        "Ünïcode",
        "A",
    ],
)
def test_other_names_stay_as_they_are(name):
    assert event_name(name) == name


@given(st.text(max_size=20))
def test_spelling_is_settled_after_one_step(name):
    assert event_name(event_name(name)) == event_name(name)


@pytest.mark.parametrize(
    ("process", "unit"),
    [
        ("core_trace for tile2,1", ("core", 2, 1)),
        ("mem_trace for tile2,1", ("mem", 2, 1)),
        ("memtile_trace for tile1,0", ("memtile", 1, 0)),
        ("shim_trace for tile0,3", ("shim", 0, 3)),
        ("intfc_trace for tile0,3", ("shim", 0, 3)),
        (" core_trace for tile(2, 1) ", ("core", 2, 1)),
        ("core_trace for tile12,34", ("core", 12, 34)),
        ("core_trace for ../../escaped", ("core", None, None)),
        ("core_trace", ("core", None, None)),
        ("core_trace for tile2", ("core", None, None)),
        (f"core_trace for tile{10**30},1", ("core", None, None)),
        ("dma_trace for tile2,1", ("other", None, None)),
        ("", ("other", None, None)),
    ],
)
def test_process_names_tell_kind_row_and_column(process, unit):
    assert process_unit(process) == unit
