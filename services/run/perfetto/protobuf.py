"""The parts of the protobuf wire format that a trace needs: varints, and fields of numbers, bytes
and text.
"""

from __future__ import annotations

_LOW, _MORE = 0x7F, 0x80
_VARINT, _BYTES = 0, 2


def varint(value: int) -> bytes:
    """Encode an integer of at least 0 with seven bits per byte, lowest first."""
    out = bytearray()
    while value > _LOW:
        out.append(value & _LOW | _MORE)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    """Encode a field, by its number `field`, with an integer of at least 0."""
    return varint(field << 3 | _VARINT) + varint(value)


def message(field: int, content: bytes) -> bytes:
    """Encode a field, by its number `field`, with a message or bytes, preceded by their length."""
    return varint(field << 3 | _BYTES) + varint(len(content)) + content


def text(field: int, words: str) -> bytes:
    """Encode a field, by its number `field`, with text as UTF-8; a character that cannot be encoded
    becomes a question mark.
    """
    return message(field, words.encode("utf-8", "replace"))
