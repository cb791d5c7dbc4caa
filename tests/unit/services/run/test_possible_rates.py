"""Profiles with rates that no hardware reaches, as pages and tables have them."""

import numpy as np
import pytest

from analysis.kernels.kernel_table import kernel_table
from components.kernels.kernel_card import kernel_card
from data_loaders.kineto.trace import KinetoLoader
from tests.support.components import facts
from tests.support.kineto_trace import call, kernel, operator, trace_data, write_trace


def copy(ts, dur, count, number=0):
    return kernel("Memcpy HtoD", ts, dur, number, cat="gpu_memcpy", bytes=count)


def test_copies_with_impossible_rates_are_found_and_no_rate_has_them(repository, tmp_path):
    entries = [copy(0, 10, 10**6), copy(20, 0.001, 17 * 10**9), copy(30, 10, 2 * 10**6)]
    data = trace_data(repository, tmp_path, entries)
    (finding,) = data.diagnostics[data.diagnostics["code"] == "rates_impossible"].to_dict("records")
    assert finding["count"] == 1
    assert data.profile.kernels["memory_rate"].isna().tolist() == [False, True, False]
    (row,) = kernel_table(data.profile.kernels).to_dict("records")
    assert row["memory_rate"] == pytest.approx(3 * 10**6 / 20e-6)
    assert row["count"] == 3
    card = kernel_card(data.profile.kernels.iloc[1], None, None)
    assert "no hardware reaches its rate" in facts(card)["copied"]


def test_an_operator_without_the_time_of_an_execution_has_no_rate(tmp_path):
    shapes = {"Input Dims": [[64, 64], [64, 64]]}
    entries = [
        operator("aten::mm", 0, 5, **shapes),
        call(1, 1),
        kernel("gemm", 10, 900, 1),
        operator("aten::mm", 20, 5, **shapes),
        call(21, 2),
        kernel("gemm", 30, 10, 2),
    ]

    def rate(folder):
        frames = KinetoLoader().load(write_trace(tmp_path / folder, entries), {}).frames
        return frames["operators"].set_index("name").loc["aten::mm", "flop_rate"]

    assert np.isnan(rate("overrun"))
    entries[2]["dur"] = 10
    assert rate("whole") == pytest.approx(2 * 2 * 64**3 / 20e-6)
