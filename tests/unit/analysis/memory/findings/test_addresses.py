import pytest

from schema.frames import empty
from tests.support.memory import attempts, block, blocks, constant, failed, length, memory_findings
from tests.support.numbers_in_text import has_numbers, numbers_in


def findings(*rows, **columns):
    """Return the findings about one attempt, by code."""
    found = memory_findings(
        attempts(1, **({"steps": length(rows)} | columns)), blocks(rows), empty("buffer_uses")
    )
    return {finding.code: finding for finding in found}


def test_an_address_that_a_type_does_not_allow():
    rows = [block("bias", 0, 1, 6, 8, dtype="int32_t"), block("byte", 0, 1, 15, 4, dtype="int8_t")]
    finding = findings(*rows, level="L1")["misaligned"]
    assert (finding.severity, finding.location, finding.count) == ("warning", "L1", 1)
    assert numbers_in(finding.message)[-3:] == ["`bias`", "0x6", "4"]
    assert "int32_t" in finding.message


@pytest.mark.parametrize(
    "row",
    [
        block("a", 0, 1, 8, dtype="int32_t"),
        block("a", 0, 1, 7, dtype="made_up_t"),
        block("a", 0, 1, 7),
        block("a", 0, 1, 8, alignment=4),
        block("a", 0, 1, None, dtype="int32_t", alignment=4),
        failed("a", dtype="int32_t"),
        constant(address=7, dtype="int32_t"),
    ],
)
def test_addresses_that_are_right_or_not_there(row):
    assert "misaligned" not in findings(row)


def test_alignment_that_the_block_or_the_hardware_asks_for():
    assert findings(block("a", 0, 1, 8, alignment=16))["misaligned"].count == 1
    assert findings(block("a", 0, 1, 32), align_bytes=64)["misaligned"].count == 1
    assert findings(block("a", 0, 1, 128), align_bytes=64) == {}


def test_a_view_with_bytes_of_its_own_is_a_phantom():
    rows = [
        block("a", 0, 4, 0, kind="variable"),
        block("view", 1, 4, 64, kind="variable", alias_of=0),
    ]
    finding = findings(*rows, level="L2")["phantom_alias"]
    assert (finding.severity, finding.location, finding.count) == ("warning", "L2", 1)
    assert has_numbers(finding.message, "`view`", "64 bytes", "`a`", "128 bytes")


def test_a_phantom_that_costs_nothing_is_no_warning():
    rows = [
        block("a", 0, 2, 0, kind="variable"),
        block("view", 3, 4, 64, kind="variable", alias_of=0),
    ]
    rows += [block("big", 2, 3, 0, 128, kind="variable")]
    assert findings(*rows)["phantom_alias"].severity == "info"


@pytest.mark.parametrize(
    "view",
    [
        block("view", 1, 4, 0, alias_of=0, status="shared"),
        block("view", 1, 4, 16, 8, alias_of=0),
        block("view", 1, 4, None, alias_of=0),
        block("view", 1, 4, 64, alias_of=7),
    ],
)
def test_a_view_in_its_targets_bytes_is_none(view):
    assert "phantom_alias" not in findings(block("a", 0, 4, 0), view)


def test_a_block_larger_than_its_tensor():
    rows = [
        block("a", 0, 1, 0, 2048, plan="outer", tensor_bytes=1024),
        block("b", 0, 1, 2048, 64, plan="outer", tensor_bytes=32),
    ]
    finding = findings(*rows, level="L2")["inflated_block"]
    assert (finding.severity, finding.location, finding.count) == ("warning", "L2", 2)
    assert has_numbers(finding.message, "1056 bytes", "`a`", "2048 bytes", "1024")


@pytest.mark.parametrize(
    "row",
    [
        block("rounded", 0, 1, 0, 12, plan="outer", tensor_bytes=9),
        block("aligned", 0, 1, 0, 64, plan="outer", tensor_bytes=9, alignment=64),
        block("there twice", 0, 1, 0, 64, plan="inner", tensor_bytes=32),
        block("who knows", 0, 1, 0, 64, plan="outer"),
        block("no plan", 0, 1, 0, 64, tensor_bytes=9),
    ],
)
def test_sizes_that_are_rounded_or_of_tiles_are_not_inflated(row):
    assert "inflated_block" not in findings(row)
