"""Translate Korean words of a question into words of identifiers, by `korean_terms.tsv`.

A row of the table holds Korean spellings (terms, loanwords, stems of verbs), separated by commas, a
tab, and the English words, the most usual first. A row without English words holds words that
questions are made of and code is not (곳, 하는, 어디). A term is found at the beginning of a word, under
any particle or ending, or directly behind another term (요청본문); a term of three syllables and more
also inside of a word. A term that is written with a space (시간 초과) is found without the space too.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from gieok.text.keywords import query_tokens

_TABLE = Path(__file__).with_name("korean_terms.tsv")
_HANGUL = re.compile("[가-힣]+")
#: What may follow a term of one syllable for it to be a word of its own: 키를 is a key, 키우는 is not.
_PARTICLE = re.compile(r"(?:들|이|가|은|는|을|를|의|에|로|으로|와|과|도|만|마다|에서|별)*$")
_ANYWHERE = 3
#: Weights relative to 1 for a word of the question itself: the usual translation, and each of the
#: others.
_USUAL, _OTHER = 0.8, 0.4


class Term(NamedTuple):
    """A part of a question that is in the table."""

    korean: str
    english: tuple[str, ...]


class TermReading(NamedTuple):
    """Result for a question: its terms in order, and the words of which no part is in the table."""

    terms: tuple[Term, ...]
    unknown: tuple[str, ...]


def find_korean_terms(question: str) -> TermReading:
    """Return the terms of a question, the longest at every position; empty without Korean."""
    words = list(_HANGUL.finditer(question))
    terms: list[Term] = []
    unknown: list[str] = []
    taken = 0
    for number, word in enumerate(words):
        if word.start() < taken:
            continue
        following = words[number + 1 : number + 3]
        joined = word[0] + "".join(
            next_word[0] if question[: next_word.start()].endswith(" ") else ""
            for next_word in following
        )
        word_terms = list(_iter_word_terms(word[0], joined))
        terms += (term for _, term in word_terms)
        if not word_terms:
            unknown.append(word[0])
        beyond = max((end for end, _ in word_terms), default=0) - len(word[0])
        for next_word in following:
            if beyond > 0:
                taken = next_word.start() + min(beyond, len(next_word[0]))
                beyond -= len(next_word[0])
    return TermReading(tuple(terms), tuple(unknown))


def _iter_word_terms(word: str, joined: str) -> Iterator[tuple[int, Term]]:
    """Yield the terms of a word and the offset at which each ends.

    `joined` is the word followed by the next words without spaces.
    """
    table, longest = _load_term_table()
    at = 0
    is_open = True
    while at < len(word):
        for size in range(min(longest, len(joined) - at), 0, -1):
            part = joined[at : at + size]
            english = table.get(part)
            goes_over = at + size > len(word)
            if (
                english is None
                or (goes_over and part not in _load_spaced_terms())
                or not (is_open or size >= _ANYWHERE)
            ):
                continue
            if size == 1 and not _PARTICLE.match(word[at + 1 :]):
                continue
            yield at + size, Term(part, english)
            at, is_open = at + size, True
            break
        else:
            at, is_open = at + 1, False


def tokens(question: str) -> dict[str, float]:
    """Return keyword token → weight, from the English words for a Korean question.

    Empty for an English question.
    """
    weights: dict[str, float] = {}
    for term in find_korean_terms(question).terms:
        for place, word in enumerate(term.english):
            for token in query_tokens(word):
                weights[token] = max(weights.get(token, 0.0), _OTHER if place else _USUAL)
    return weights


def in_english(question: str) -> str:
    """Return the usual English words for a Korean question, in its order; '' where none are
    known.
    """
    words = [term.english[0] for term in find_korean_terms(question).terms if term.english]
    latin = re.findall(r"[A-Za-z_][A-Za-z0-9_.]*", question)
    return " ".join(dict.fromkeys([*latin, *words])) if words else ""


@cache
def _load_term_table() -> tuple[dict[str, tuple[str, ...]], int]:
    """Return the terms, written without spaces, and the length of the longest term."""
    rows: dict[str, tuple[str, ...]] = {}
    for spellings, english in _iter_term_rows():
        for spelling in spellings:
            known = rows.get(spelling.replace(" ", ""), ())
            rows[spelling.replace(" ", "")] = (
                *known,
                *(word for word in english if word not in known),
            )
    return rows, max(map(len, rows))


@cache
def _load_spaced_terms() -> frozenset[str]:
    return frozenset(
        s.replace(" ", "") for spellings, _ in _iter_term_rows() for s in spellings if " " in s
    )


def _iter_term_rows() -> Iterator[tuple[list[str], list[str]]]:
    for line in _TABLE.read_text(encoding="utf-8").splitlines():
        korean, _, english = line.partition("\t")
        yield korean.split(","), english.split()
