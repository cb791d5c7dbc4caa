from app.pages.run.steps import choices_made, field_value, setting_changed, setting_refused
from app.views.registry import CHOICES, parse
from app.views.state import AS_STORED, RunState

BLANK = RunState()


def test_a_setting_is_taken_trimmed_or_not_at_all():
    assert setting_changed(BLANK, "clock_hz", " 1.8GHz ").overrides == {"clock_hz": "1.8GHz"}
    assert setting_changed(BLANK, "clock_hz", "slow") == BLANK
    assert setting_changed(BLANK, "clock_hz", None) == BLANK


def test_a_text_that_is_no_value_of_a_setting_is_told_and_one_that_is_is_not():
    for key, text in (
        ("clock_hz", "abc"),
        ("warmup", "-1"),
        ("peak_flops", "fast"),
        ("rows", "2000"),
    ):
        assert f"“{text}”" in setting_refused(key, f" {text} ")
        assert f"{key}=" not in setting_refused(key, text)
    assert len(setting_refused("clock_hz", "x" * 5_000)) < 120
    assert not any(
        setting_refused("clock_hz", text) for text in ("", " ", None, "2GHz", " 1.25e9 ")
    )


def test_a_device_is_chosen_and_given_back():
    state = choices_made(BLANK, {"device": "Apple M1 Pro"})
    assert (state.overrides, field_value(state, "device")) == (
        {"device": "Apple M1 Pro"},
        "Apple M1 Pro",
    )
    assert parse("device=m1+pro") == state
    assert choices_made(state, {"device": AS_STORED}) == BLANK
    assert parse("device=") == parse("device=toaster") == BLANK


def test_a_choice_is_taken_and_its_default_leaves_no_trace():
    state = choices_made(BLANK, {"layout": "best_fit", "method": "reference", "mac_dtype": "bf16"})
    assert [field_value(state, name) for name in ("layout", "method", "mac_dtype")] == [
        "best_fit",
        "reference",
        "bf16",
    ]
    first = CHOICES["layout"][0]
    assert (
        choices_made(state, {"layout": first, "method": "robust", "mac_dtype": AS_STORED}) == BLANK
    )
