"""An answer in words that leads to what it names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Jump:
    """Words of an answer that name a part of the selection (`part` as in the address), and the value that it has."""

    text: str
    part: str
    value: str | int


class Caption(str):
    """A sentence with what its words lead to; anything that makes text of it, or adds to it, has the sentence alone."""

    jumps: tuple[Jump, ...]

    def __new__(cls, sentence: str, *jumps: Jump) -> Caption:
        """Keep the first jump to each value, of those whose words are in the sentence."""
        made = super().__new__(cls, sentence)
        said = {(jump.part, jump.value): jump for jump in reversed(jumps) if jump.text and jump.text in sentence}
        made.jumps = tuple(reversed(said.values()))
        return made

    def parts(self) -> list[str | Jump]:
        """Return the sentence in pieces, from left to right; each jump has the first free place of its words."""
        pieces: list[str | Jump] = [str(self)]
        for jump in self.jumps:
            for at, piece in enumerate(pieces):
                if isinstance(piece, str) and jump.text in piece:
                    before, _, after = piece.partition(jump.text)
                    pieces[at : at + 1] = [part for part in (before, jump, after) if part]
                    break
        return pieces
