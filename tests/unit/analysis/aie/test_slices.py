"""Captures of several slices of a trace buffer: each slice is derived on its own."""

import pytest

from analysis.derive import derive
from analysis.headline import headline
from tests.support.gemm_trace import frames
from tests.support.sliced_capture import FAST, SLICES, SLOW, sliced


def numbers(rows, names=("track", "kernels", "span", "elapsed", "cores")):
    return sorted(rows[[*names]].astype({"track": str}).itertuples(index=False, name=None))


@pytest.mark.slow
def test_iterations_of_a_slice_are_those_of_the_slice_alone():
    made = derive(sliced())
    alone = [derive(frames(*part["cores"])) for part in (FAST, SLOW)]
    rows = made["iterations"]
    for label, own, mark in zip(SLICES, alone, ("", " #2"), strict=True):
        cores = own["iterations"].assign(
            track=[
                name if name == "system" else name + mark
                for name in own["iterations"]["track"].astype(str)
            ]
        )
        assert numbers(rows[rows["slice"] == label]) == numbers(cores)


def test_no_iteration_and_no_kernel_is_of_two_slices():
    made = derive(sliced())
    rows = made["iterations"]
    assert rows.groupby("iteration")["slice"].nunique().max() == 1
    of_slice = dict(zip(rows["iteration"], rows["slice"], strict=True))
    kernels = made["kernels"].dropna(subset=["iteration"])
    marked = kernels["track"].astype(str).str.contains("#2")
    assert {of_slice[number] for number in kernels.loc[marked, "iteration"]} == {SLICES[1]}
    assert {of_slice[number] for number in kernels.loc[~marked, "iteration"]} == {SLICES[0]}


@pytest.mark.slow
def test_numbers_of_the_array_are_those_of_one_slice():
    stored = sliced()
    found = headline({**stored, **derive(stored)})
    part = frames(*FAST["cores"])
    alone = headline({**part, **derive(part)})
    names = ("kernels", "median_kernel", "p95_kernel", "lock_stall_share", "gmacs_mean")
    assert {name: found[name] for name in names} == {name: alone[name] for name in names}


@pytest.mark.slow
def test_a_slice_has_the_findings_of_its_own_cores():
    findings = derive(sliced())["diagnostics"]
    assert "iterations_fewer" not in set(findings["code"])
    assert "cores_staggered" not in set(findings["code"])
