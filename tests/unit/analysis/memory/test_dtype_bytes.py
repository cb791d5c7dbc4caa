import pytest

from analysis.memory.dtype_bytes import dtype_bytes


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("int8_t", 1),
        ("uint16_t", 2),
        ("int32_t", 4),
        ("int32_t*", 4),
        ("const int64_t *", 8),
        ("float32_t", 4),
        ("float", 4),
        ("FLOAT", 4),
        ("DOUBLE", 8),
        ("INT8", 1),
        ("FLOAT16", 2),
        ("BFLOAT16", 2),
        ("BOOL", 1),
        ("bf16", 2),
        ("f32", 4),
        ("si8", 1),
        ("int4", None),
        ("STRING", None),
        ("", None),
        (None, None),
    ],
)
def test_bytes_of_an_element(name, size):
    assert dtype_bytes(name) == size
