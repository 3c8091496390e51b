"""Token ids of the texts of a kit, and the sequences that the encoder reads."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

#: Ids of the marks, in a kit as in the bundled vocabulary.
BEGIN, END = 0, 1


def text_key(text: str) -> bytes:
    """Return the eight bytes that name a text in a kit."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()


class Texts:
    """Token ids of every text in a kit, and the characters that each token covers.

    An id is a row of the kit's embedding table, not of the bundled vocabulary.
    """

    def __init__(self, folder: Path) -> None:
        arrays = np.load(folder / "texts.npz")
        keys = arrays["keys"]
        self._number = {keys[i].tobytes(): i for i in range(len(keys))}
        self._stops, self._ids = arrays["stops"], arrays["ids"]
        self._from, self._to = arrays["from"], arrays["to"]

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text, without marks of begin and end."""
        ids: list[int] = self._ids[self._slice(text)].tolist()
        return ids

    def places(self, text: str) -> list[tuple[int, int]]:
        """Return the characters [from, to) of each token; (0, 0) for one without any."""
        part = self._slice(text)
        return list(zip(self._from[part].tolist(), self._to[part].tolist(), strict=True))

    def _slice(self, text: str) -> slice:
        number = self._number[text_key(text)]
        return slice(int(self._stops[number - 1]) if number else 0, int(self._stops[number]))

    def question(self, text: str, longest: int = 96) -> list[int]:
        """Return the sequence of a question, as the product embeds it."""
        return self._wrap([*self.ids("query:"), *self.ids(text)], longest)

    def passage(self, text: str, longest: int = 128) -> list[int]:
        """Return the sequence of a passage that is no turn of talk."""
        return self._wrap([*self.ids("passage:"), *self.ids(text)], longest)

    def turn(self, text: str, before: str = "", longest: int = 128) -> list[int]:
        """Return the sequence of a user's turn, after the assistant's `before` if there is one.

        The product puts the words of a turn in quotation marks: `User: "…"`.
        """
        lead = [*self.ids("passage:")]
        if before:
            lead += self._quoted("Assistant:", before)[: longest // 2]
        return self._wrap([*lead, *self._quoted("User:", text)], longest)

    def _quoted(self, speaker: str, text: str) -> list[int]:
        return [*self.ids(speaker), *self.ids(f'"{text}"')]

    def change(self, earlier: str, later: str, before: str = "", longest: int = 192) -> list[int]:
        """Return the sequence of an earlier and a later statement."""
        half = longest // 2 - 8
        first = [*(self.ids(before)[-half // 2 :] if before else ()), *self.ids(earlier)[:half]]
        return self._wrap(
            [*self.ids("earlier:"), *first, *self.ids("later:"), *self.ids(later)], longest
        )

    def asked_of(self, question: str, line: str, *, is_turn: bool = True) -> list[int]:
        """Return the sequence of a question and a line that are read together."""
        said = self.turn(line) if is_turn else self.passage(line)
        return [*self.question(question, 72 + 2), *said[1:-1][:110], END]

    def told_of(self, line: str, before: str, predicate: str, value: str) -> list[int]:
        """Return the sequence of a chat line and one reading of it: a predicate and its value."""
        lead = [*self.ids("Assistant:"), *self.ids(before)[-40:]] if before else []
        said = [*lead, *self.ids("User:"), *self.ids(line)[:100]]
        return [BEGIN, *said, END, *self.ids(f"{predicate}:"), *self.ids(value)[:24], END]

    def used_under(self, rule: str, use: str) -> list[int]:
        """Return the sequence of a rule and a use of a tool that are read together."""
        asked = [*self.ids("rule:"), *self.ids(rule)[:56]]
        return [BEGIN, *asked, END, *self.ids("use:"), *self.ids(use)[:72], END]

    def message_after(self, talk: Sequence[tuple[bool, str]], text: str) -> list[int]:
        """Return the sequence of a user's message behind the last lines of the talk before it.

        A line of the talk is whether the user said it, and what was said.
        """
        return self.marked_message(talk, text, "", "")[0]

    def marked_message(
        self, talk: Sequence[tuple[bool, str]], text: str, wrong: str, right: str
    ) -> tuple[list[int], list[int]]:
        """Return the sequence of a message behind the talk before it, and a mark for each token.

        A mark is 1 for the words of the talk that are `wrong`, 2 for those of the message that are
        `right` in their place, and 0 for others. Of the talk the last line that holds the words is
        marked.
        """
        said: list[int] = []
        marks: list[int] = []
        for is_user, line in reversed(talk[-4:]):
            label = self.ids("User:" if is_user else "Assistant:")
            before = [*label, *self.ids(line)[-48:]]
            if len(before) + len(said) > 100:
                break
            seen = self._mark(line, "" if 1 in marks else wrong, 1)[-48:]
            said = [*before, *said]
            marks = [*([0] * len(label)), *seen, *marks]
        label = self.ids("User:")
        ids = [BEGIN, *said, END, *label, *self.ids(text)[:90], END]
        told = self._mark(text, right, 2)[:90]
        return ids, [0, *marks, 0, *([0] * len(label)), *told, 0]

    def _mark(self, text: str, words: str, mark: int) -> list[int]:
        """Return `mark` for each token of a text that covers a part of these words, 0 for others."""
        start = text.find(words) if words else -1
        end = start + len(words)
        return [
            mark if start >= 0 and begin < end and start < stop else 0
            for begin, stop in self.places(text)
        ]

    def tagged(
        self, text: str, before: str = "", longest: int = 192
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the sequence of a text whose tokens are tagged, and the characters of each.

        Marks, labels and the line before cover no characters, as (0, 0).
        """
        lead = [*self.ids("passage:")]
        if before:
            lead += [*self.ids("Assistant:"), *self.ids(before)[:48], *self.ids("User:")]
        ids = self._wrap([*lead, *self.ids(text)], longest)
        places = [(0, 0)] * (1 + len(lead)) + self.places(text)
        return ids, [*places[: len(ids) - 1], (0, 0)]

    def _wrap(self, ids: list[int], longest: int) -> list[int]:
        return [BEGIN, *ids[: longest - 2], END]
