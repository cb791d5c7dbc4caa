"""Texts of headlines: every number has a unit, every share its base."""

import pytest

from components.headline import headline_help, headline_text
from schema.headlines import headline_of
from schema.peak_rates import IMPOSSIBLE

THIN = "\u202f"


@pytest.mark.parametrize(
    ("source", "numbers", "text"),
    [
        ("aie", {"gmacs_mean": 237.92, "utilization": 0.7435}, f"238 GMAC/s · 74.4{THIN}% of peak"),
        ("aie", {"gmacs_mean": 237.92}, "238 GMAC/s"),
        (
            "aie",
            {"gmacs_mean": 963.76, "utilization": 12.047},
            f"impossible: 964 GMAC/s · 1{THIN}204.7{THIN}% of peak",
        ),
        (
            "kineto",
            {"kernel_time": 1_349_536.0, "busy_share": 0.9766},
            f"1.35{THIN}ms in kernels",
        ),
        (
            "minimalloc",
            {"peak_memory": 81_072.0, "memory_bound": 69_524.0},
            f"79.2{THIN}KiB · 16.6{THIN}% above bound",
        ),
        (
            "minimalloc",
            {"peak_memory": 512.0, "memory_bound": 1_024.0},
            f"512{THIN}B · 50.0{THIN}% of the bytes that all blocks need",
        ),
        (
            "tpu_mlir",
            {"peak_memory": 16_384.0, "capacity_use": 1.0, "failed_blocks": 1.0},
            f"16.0{THIN}KiB · 100.0{THIN}% of capacity · 1 block not placed",
        ),
        (
            "torch_snapshot",
            {"peak_memory": 2_048.0, "capacity_use": 2.0, "peak_reserved": 4_096.0},
            f"2.00{THIN}KiB · impossible: 200.0{THIN}% of capacity",
        ),
        (
            "minimalloc",
            {"peak_memory": 1_000_001.0, "memory_bound": 1_000_000.0},
            f"977{THIN}KiB · less than 0.1{THIN}% above bound",
        ),
        (
            "xla",
            {"peak_memory": 49_152.0, "memory_bound": 49_152.0, "memory_waste": 8_678.0},
            f"48.0{THIN}KiB · 0.0{THIN}% above bound",
        ),
        (
            "onnxruntime",
            {"step_time": 841_000.0, "busy_share": 0.056},
            f"841{THIN}µs per step · 5.6{THIN}% of the profile busy",
        ),
        (
            "aie_design",
            {"peak_memory": 53_248.0, "capacity_use": 0.8125},
            f"52.0{THIN}KiB highest address · 81.3{THIN}% of the tile's memory",
        ),
        (
            "tpu_mlir",
            {
                "peak_memory": 0.0,
                "capacity_use": 0.0,
                "memory_bound": 304_096.0,
                "bound_use": 1.16,
                "failed_blocks": 2.0,
            },
            f"297{THIN}KiB needed, nothing placed · 116.0{THIN}% of capacity",
        ),
        ("aie", {}, "–"),
    ],
)
def test_a_headline_has_numbers_with_unit_and_base(source, numbers, text):
    assert headline_text(headline_of(source, numbers)) == text


def test_the_tooltip_has_formulas_and_exact_numbers_and_explains_a_dash():
    headline = headline_of("minimalloc", {"peak_memory": 81_072.0, "memory_bound": 69_524.0})
    number, detail = headline_help(headline).splitlines()
    assert f"81{THIN}072 B" in number
    assert "lower bound" in detail
    assert headline_help(None)


def test_the_tooltip_of_an_impossible_rate_has_a_line_more():
    lines = [
        headline_help(headline_of("aie", {"gmacs_mean": 80.0, "utilization": share})).splitlines()
        for share in (1.0, 1.1)
    ]
    assert lines[1] == [*lines[0], IMPOSSIBLE]
