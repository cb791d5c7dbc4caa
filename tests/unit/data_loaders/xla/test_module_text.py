"""The text of a module: opcodes, and lines of the program in today's form and the older one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.xla.module_text import read_module

HEAD = """FileNames
1 "/srv/a b/model.py"

FunctionNames
1 "loss"

FileLocations
4 {file_name_id=1 function_name_id=1 line=9 end_line=9 column=1 end_column=2}

StackFrames
7 {file_location_id=4 parent_frame_id=7}
8 {file_location_id=99 parent_frame_id=7}

"""


def line(metadata):
    return f"  ROOT %add.1 = f32[4]{{0}} add(%a, %b), metadata={{{metadata}}}\n"


@pytest.mark.parametrize(
    ("metadata", "origin"),
    [
        ('op_name="x" stack_frame_id=7', "model.py:9 loss"),
        ('op_name="x" stack_frame_id=8', None),
        ('op_name="x" source_file="C:\\\\work\\\\train.py" source_line=31', "train.py:31"),
        ('op_name="source_line"', None),
    ],
)
def test_an_instruction_leads_to_its_line(metadata, origin):
    found = read_module(HEAD + line(metadata))
    assert found.opcodes == {"add.1": "add"}
    assert found.origins.get("add.1") == origin


def test_an_instruction_without_metadata_has_no_line():
    assert read_module("  %b = f32[] constant(0)\n").origins == {}


@given(st.text(max_size=300))
def test_any_text_is_read(text):
    read_module(HEAD + text)
    read_module(line(text))
