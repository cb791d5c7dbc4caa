"""Captions: sentences above a view, parts of which are links that change the selection."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Jump:
    """Link in a caption: `text` is the linked part of the sentence, `part` the address field that a
    click sets, `value` the value that it sets.
    """

    text: str
    part: str
    value: str | int


class Caption(str):
    """A sentence with the links (`jumps`) that parts of it have.

    It is a string: f-strings, `+` and `str()` give the sentence without the links.
    """

    jumps: tuple[Jump, ...]

    def __new__(cls, sentence: str, *jumps: Jump) -> Caption:
        """Create a caption. Jumps with a text that the sentence does not contain are dropped.

        Of several jumps to the same value the first is used.
        """
        caption = super().__new__(cls, sentence)
        # A dict keeps the last of equal keys, so reversed order lets the first jump win.
        by_target = {
            (jump.part, jump.value): jump
            for jump in reversed(jumps)
            if jump.text and jump.text in sentence
        }
        caption.jumps = tuple(reversed(by_target.values()))
        return caption

    def parts(self) -> list[str | Jump]:
        """Split the sentence of the caption into plain texts and jumps, from left to right; empty
        for "".

        A jump is placed at the first occurrence of its text that no earlier jump occupies; without
        a free occurrence it is left out.
        """
        pieces: list[str | Jump] = [str(self)]
        for jump in self.jumps:
            for at, piece in enumerate(pieces):
                if isinstance(piece, str) and jump.text in piece:
                    before, _, after = piece.partition(jump.text)
                    pieces[at : at + 1] = [part for part in (before, jump, after) if part]
                    break
        return pieces


def joined_captions(*captions: str) -> str:
    """Join sentences with a blank and keep their links; empty sentences are left out, and "" if all
    are empty.
    """
    filled = [caption for caption in captions if caption]
    jumps = [jump for caption in filled if isinstance(caption, Caption) for jump in caption.jumps]
    return Caption(" ".join(filled), *jumps) if filled else ""
