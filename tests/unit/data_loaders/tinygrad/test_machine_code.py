"""Binaries of a capture's programs: of what form they are, and which machine they are for."""

import base64
import pickle

import pytest

from data_loaders.tinygrad import machine_code
from data_loaders.tinygrad.capture import Capture
from data_loaders.tinygrad.machine_code import machine_code_frame
from data_loaders.tinygrad.programs import Program
from data_loaders.tinygrad.run import read_run
from data_loaders.tinygrad.stacks import Stacks
from samples.tinygrad_capture import training
from samples.tinygrad_writer import GENERATIONS, Maker
from tests.support.machine_code import AMD, ARM64, LOOP, RET, X86_64, bare, elf


def program(code, device="CPU", target=""):
    return Program("k", "k", device, None, "", "", "", code, None, target)


def capture(**properties):
    found = Capture(Stacks(keep=False))
    found.properties |= {
        name: {"gfx_target_version": target} for name, target in properties.items()
    }
    return found


@pytest.mark.parametrize(
    ("made", "kind", "architecture"),
    [
        (program(RET), "raw", ""),
        (program(RET, target="x86_64,native"), "raw", "x86-64"),
        (program(RET, "LLVM:1", target="arm64"), "raw", "arm64"),
        (program(elf(X86_64, RET)), "elf", "x86-64"),
        (program(elf(ARM64, RET), target="x86_64"), "elf", "arm64"),
        (program(elf(AMD, RET), "AMD"), "elf", "gfx1151"),
        (program(elf(AMD, RET), "AMD:1"), "elf", ""),
        (program(elf(AMD, RET), "AMD", target="gfx1100"), "elf", "gfx1100"),
        (program(elf(AMD, RET), "AMD:1", target="gfx<script>"), "elf", ""),
        (program(bare(elf(AMD, RET)), "AMD"), "elf", "gfx1151"),
        (program(bare(elf(AMD, RET)), "AMD:1", target="gfx1200"), "elf", "gfx1200"),
        (program(bare(elf(AMD, RET)), "AMD:1"), "other", ""),
        (program(bare(elf(X86_64, RET)), target="x86_64"), "raw", "x86-64"),
        (program(b"// note\n.version 8.7\n.target sm_89\n", "NV"), "ptx", "sm_89"),
        (program(b"\n.version 8.7\n", "CUDA"), "ptx", ""),
        (program(b"MTLB" + RET, "METAL"), "other", ""),
        (program(pickle.dumps([("ADD", (1, 2))], 4), "PYTHON", "x86_64"), "operations", ""),
        (program(pickle.dumps([("ADD", (1, 2))], 4)), "operations", ""),
        (program(b"\x80\x04\x95" + RET), "raw", ""),
    ],
)
def test_form_and_machine_are_told_from_the_binary_its_target_and_its_device(
    made, kind, architecture
):
    frame, findings = machine_code_frame([made], capture(AMD=110501))
    assert frame["kind"].tolist() == [kind]
    assert frame["architecture"].tolist() == [architecture]
    assert base64.b64decode(frame["contents"][0]) == made.binary
    assert findings == []


def test_programs_without_a_binary_have_no_row():
    frame, _ = machine_code_frame([program(None), program(b""), program(RET)], capture())
    assert frame["program"].tolist() == [2]
    assert len(machine_code_frame([], capture())[0]) == 0


def test_binaries_that_are_too_large_are_left_out_and_said(monkeypatch):
    monkeypatch.setattr(machine_code, "MAX_BINARY_BYTES", 9)
    monkeypatch.setattr(machine_code, "MAX_BYTES", 12)
    frame, (said,) = machine_code_frame([program(RET * size) for size in (10, 9, 4, 3)], capture())
    assert frame["program"].tolist() == [1, 3]
    assert (said.code, said.count) == ("machine_code_left_out", 2)


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_generation_has_its_binaries(generation):
    maker = training(generation)
    reading = read_run(maker.profile(), maker.rewrites(), False)
    code = reading.frames["machine_code"]
    assert code["program"].tolist() == reading.frames["programs"]["program"].tolist()
    assert reading.frames["programs"]["library_bytes"].tolist() == [9] * len(code)
    assert "machine code of 2 kernels" in " ".join(finding.message for finding in reading.findings)


def test_a_profile_alone_has_those_of_its_program_events():
    maker = (
        Maker("0.12")
        .range("AMD", "k", 0, 1)
        .program("AMD", "k", elf(AMD, LOOP))
        .program("CPU", "c", None)
    )
    frame = read_run(maker.profile(), None, False).frames["machine_code"]
    assert frame["kind"].tolist() == ["elf"]
