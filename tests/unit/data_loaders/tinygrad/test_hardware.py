"""What a capture ran on, in a few words."""

import pytest

from data_loaders.tinygrad.capture import Capture
from data_loaders.tinygrad.hardware import hardware
from data_loaders.tinygrad.stacks import Stacks


def capture(targets):
    found = Capture(Stacks(keep=False))
    for place, target in enumerate(targets):
        device = f"AMD:{place}" if place else "AMD"
        found.device(device)
        found.properties[device] = {"gfx_target_version": target}
    return found


@pytest.mark.parametrize(
    ("targets", "said"),
    [
        ([], ""),
        ([110000], "AMD gfx1100"),
        ([110000, 110000, 120001], "2 x AMD gfx1100 + AMD gfx1201"),
        ([110000, 120000, 120001, 90010], "AMD gfx1100 + AMD gfx1200 + AMD gfx1201 + AMD gfx90a"),
        (
            [110000, 110000, 120000, 120001, 90010, 90400],
            "2 x AMD gfx1100 + AMD gfx1200 + AMD gfx1201 + AMD gfx90a + 1 other",
        ),
    ],
)
def test_devices_are_counted_by_kind(targets, said):
    assert hardware(capture(targets)) == said


def test_any_number_of_kinds_is_a_few_words():
    said = hardware(capture(range(10_000, 4_000_000, 1000)))
    assert said.endswith(" others")
    assert len(said) < 100
