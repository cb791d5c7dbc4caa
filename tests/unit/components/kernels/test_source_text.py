import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.kernels import source_text as module
from components.kernels.source_text import (
    MAX_CHARACTERS,
    MAX_LINES,
    MAX_SPANS,
    choose_lexer,
    source_text,
)
from tests.support.components import every, words
from tests.support.numbers_in_text import without_numbers

C = "void r_8(float* restrict a) {\n  for (int i = 0; i < 8; i++) { a[i] = 1.0f; } // done\n}"


def code(component):
    (shown,) = every(component, "Code")
    return shown


def styles(component):
    return {words(span).strip(): span.className for span in every(code(component), "Span")}


def test_tokens_are_elements_with_classes():
    found = styles(source_text(C, "CPU"))
    assert found["for"] == "ts-code-keyword"
    assert found["float"] == "ts-code-type"
    assert found["8"] == "ts-code-number"
    assert found["r_8"] == "ts-code-function"
    assert found["// done"] == "ts-code-comment"


def test_the_text_is_whole_and_lines_are_numbered():
    component = source_text(C, "CPU")
    assert words(code(component)) == C
    assert words(every(component, "Pre")[0]) == "1\n2\n3"


def test_markup_stays_text():
    hostile = "</script><img src=x onerror=alert(1)> %{x} {{7*7}}"
    component = source_text(hostile, "CPU")
    assert words(code(component)) == hostile
    kinds = {
        type(part).__name__
        for kind in ("Div", "Pre", "Code", "Span", "P")
        for part in every(component, kind)
    }
    assert kinds <= {"Div", "Pre", "Code", "Span", "P"}
    assert "dangerously" not in json.dumps(component, default=lambda part: part.to_plotly_json())


@pytest.mark.parametrize(
    ("source", "device", "language"),
    [
        ("; ModuleID = 'x'\ndefine void @f() {}", "CPU", "LLVM"),
        ("define amdgpu_kernel void @r(float* %a) {\n}", "AMD", "LLVM"),
        (".version 7.5\n.visible .entry r() {}", "CUDA", "PTX"),
        ("#include <metal_stdlib>\nkernel void r() {}", "METAL", "C++"),
        ("__global__ void r() {}", "CUDA:1", "CUDA"),
        ("void r() {}", "CPU:1", "C"),
        ("void r(int a) { a; }", "SOMETHING", "C"),
        ("@compute fn main() {}", "WEBGPU", "WebGPU Shading Language"),
        ("gASVAA==", "PYTHON", "Text only"),
    ],
)
def test_the_language_goes_by_text_and_device(source, device, language):
    assert choose_lexer(source, device).name == language


def test_what_is_not_seen_is_written_out():
    assert words(code(source_text("a\u202eb\x00c\td", "CPU"))) == "a\\u202eb\\u0000c\td"


@pytest.mark.slow
def test_a_long_text_is_cut_and_the_rest_counted():
    component = source_text("int a;\n" * (MAX_LINES + 10), "CPU")
    assert words(code(component)).count("\n") == MAX_LINES - 1
    assert "10 more lines" in words(component)
    assert len(words(code(source_text("x" * (MAX_CHARACTERS * 2), "CPU")))) == MAX_CHARACTERS


@pytest.mark.slow
def test_only_so_many_tokens_are_elements():
    component = source_text("\n".join(["int " * 20] * 1_000), "CPU")
    assert len(every(code(component), "Span")) <= MAX_SPANS
    assert words(code(component)).count("int") == 20_000


def test_where_there_is_no_time_left_the_text_is_plain(monkeypatch):
    monkeypatch.setattr(module, "MAX_SECONDS", -1.0)
    text = C + "\n// no other test shows this text, so that it is not cached"
    component = source_text(text, "CPU")
    assert not every(code(component), "Span")
    assert words(code(component)) == text


@given(
    st.text(alphabet="ab01 \n\t/*\"'\\#(){};.@%x<", max_size=4_000),
    st.sampled_from(["CPU", "CUDA", "METAL", "WEBGPU", "X"]),
)
def test_nothing_of_a_text_is_lost_whatever_it_is(text, device):
    shown = words(source_text(text, device))
    assert not text.strip() or text.replace("\r\n", "\n").rstrip("\n") in shown


def test_no_source_is_said():
    assert without_numbers(words(source_text(" \n", "CPU")))
