import pytest

from schema.devices import DEVICES, find_device, find_run_device, with_peaks
from schema.run_settings import SettingError, parse_setting, with_overrides

A100 = "NVIDIA A100 SXM 80GB"


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_every_device_is_found_by_its_name_and_has_sane_peaks(device):
    assert find_device(device.name.lower()) is device
    assert 1e12 < device.peak_flops < 1e15
    assert 1 < device.peak_flops / device.peak_bytes_per_s < 200


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("rtx 4090", "NVIDIA GeForce RTX 4090"),
        ("MI300X", "AMD Instinct MI300X"),
        ("apple m1", "Apple M1"),
    ],
)
def test_words_that_one_device_alone_has_name_it(text, name):
    assert find_device(text).name == name


@pytest.mark.parametrize("text", ["", "A100", "NVIDIA", "RTX 4091", "CPU", "x" * 9999])
def test_words_of_several_or_none_name_none(text):
    assert find_device(text) is None


def test_an_architecture_is_said_to_be_a_guess():
    device, why = find_run_device("2 x AMD gfx942 + CPU")
    assert (device.name, "gfx942" in why) == ("AMD Instinct MI300X", True)
    assert find_run_device("5 x CPU") is None
    assert find_run_device("AMD gfx942 + AMD gfx1100") is None


def test_what_the_user_says_is_never_overridden():
    ran = {"hwid": "AMD gfx1100"}
    found = with_peaks(ran, {"peak_flops": 5e12})
    assert (found["peak_flops"], found["peak_bytes_per_s"]) == (5e12, 960e9)
    assert "peak_flops: setting" in found["peak_from"]
    both = with_peaks(ran, {"peak_flops": 5e12, "peak_bytes_per_s": 1e9})
    assert both == {"peak_flops": 5e12, "peak_bytes_per_s": 1e9, "peak_from": "settings"}


def test_a_device_that_is_asked_for_goes_before_what_it_ran_on():
    found = with_peaks({"hwid": "AMD gfx1100"}, {"device": A100})
    assert (found["device"], found["peak_flops"], found["peak_bytes_per_s"]) == (
        A100,
        19.5e12,
        2039e9,
    )
    assert found["peak_from"].startswith(A100)


def test_nothing_known_is_nothing_said():
    assert with_peaks({"hwid": "CPU"}, {}) == {}


def test_a_device_as_an_override_brings_both_peaks():
    run = {"hwid": "CPU", "peak_flops": 7.0, "peak_bytes_per_s": float("nan")}
    changed = with_overrides(run, {"device": "a100 80gb"})
    assert (changed["peak_flops"], changed["peak_bytes_per_s"], changed["device"]) == (
        19.5e12,
        2039e9,
        A100,
    )
    both = with_overrides(run, {"device": "a100 80gb", "peak_flops": "4TFLOPS"})
    assert (both["peak_flops"], both["peak_bytes_per_s"]) == (4e12, 2039e9)
    one = with_overrides(run | {"peak_from": "Apple M1"}, {"peak_bytes_per_s": "9"})
    assert (one["peak_flops"], one["peak_from"]) == (7.0, "Apple M1; peak_bytes_per_s: setting")


def test_an_unknown_device_is_refused_with_those_there_are():
    with pytest.raises(SettingError, match="expected one of NVIDIA V100"):
        parse_setting("device", "abacus")
