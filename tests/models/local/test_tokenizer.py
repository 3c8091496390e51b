"""The tokenizer cuts text as SentencePiece does with the model's own table."""

import math
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gieok.models.local.releases import CURRENT
from gieok.models.local.tokenizer import UNKNOWN, Tokenizer, save_tokenizer_tables

_TOY = {
    "\u2581": -2.0,
    "\u2581a": -1.5,
    "\u2581ab": -3.5,
    "a": -2.5,
    "b": -2.25,
    "ba": -3.0,
    "abab": -8.0,
    "가": -2.0,
    "가a": -2.5,
}


@pytest.fixture(scope="module")
def tokenizer(models: Path) -> Tokenizer:
    """Return the model's tokenizer."""
    return Tokenizer(models / CURRENT.folder)


@pytest.fixture(scope="module")
def pieces(models: Path) -> list[str]:
    """Return the pieces by id."""
    found = ["<s>", "</s>", "<unk>"]
    for line in (models / CURRENT.folder / "pieces.txt").read_text("utf-8").split("\n"):
        found += line.split("\t")[2:]
    return found


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Tokenizer, list[str]]:
    """Return a tokenizer with a handful of pieces."""
    folder = tmp_path_factory.mktemp("toy")
    return _toy(folder)


def _toy(folder: Path) -> tuple[Tokenizer, list[str]]:
    ordered = save_tokenizer_tables(folder, _TOY, {"\t": " ", "A": "a"})
    return Tokenizer(folder), ["", "", "?", *ordered]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("passage: 회의는 세 시로 옮겼습니다.", "▁passage : ▁ 회의 는 ▁세 ▁시 로 ▁ 옮 겼 습니다 ."),
        ("Where did we put the backups?", "▁Where ▁did ▁we ▁put ▁the ▁backup s ?"),
        ("parse_invoice_date(text)", "▁par se _ in vo ice _ date ( text )"),
        ("결제 API가 \uff12번 호출됨!", "▁결제 ▁API 가 ▁2 번 ▁호 출 됨 !"),
        ("漢字 🙂 ok", "▁ 漢 字 ▁🙂 ▁ok"),
        ("\ufb01ne\u3000print\t\n  x", "▁fine ▁print ▁x"),
        ("café", "▁ca f é"),
    ],
)
def test_text_is_cut_as_the_original_cuts_it(
    tokenizer: Tokenizer, pieces: list[str], text: str, expected: str
) -> None:
    assert [pieces[i] for i in tokenizer.ids(text)] == expected.split(" ")


def test_decomposed_korean_is_cut_like_composed(tokenizer: Tokenizer) -> None:
    text = "결제 서버가 멈췄다"
    assert list(tokenizer.ids(unicodedata.normalize("NFD", text))) == list(tokenizer.ids(text))


@pytest.mark.parametrize("text", ["<s>", "</s>", "<mask>", "<pad>", "<unk>"])
def test_a_mark_in_a_text_is_read_as_plain_letters(tokenizer: Tokenizer, text: str) -> None:
    assert min(tokenizer.ids(text)) > UNKNOWN


@pytest.mark.parametrize("text", ["", "  ", "\n\t\u3000", "▁ ▁"])
def test_blank_text_has_no_pieces(tokenizer: Tokenizer, text: str) -> None:
    assert list(tokenizer.ids(text)) == []


@pytest.mark.parametrize("text", ["\ud800", "\u0e01\u0e33\U000e0100"])
def test_what_no_piece_covers_is_unknown(tokenizer: Tokenizer, text: str) -> None:
    assert UNKNOWN in list(tokenizer.ids(text))


def test_a_word_gives_the_same_pieces_when_it_comes_again(tokenizer: Tokenizer) -> None:
    once = list(tokenizer.ids("되풀이되는단어 되풀이되는단어"))
    assert once[: len(once) // 2] == once[len(once) // 2 :]


def test_nothing_of_a_long_word_is_lost(tokenizer: Tokenizer, pieces: list[str]) -> None:
    word = "결제Api" * 20_000
    assert "".join(pieces[i] for i in tokenizer.ids(word)) == "▁" + word


@given(word=st.text("ab가", min_size=1, max_size=9))
def test_the_path_is_the_most_probable_of_all(toy: tuple[Tokenizer, list[str]], word: str) -> None:
    tokenizer, pieces = toy
    found = [pieces[i] for i in tokenizer.ids(word)]
    assert "".join(found) == "\u2581" + word
    assert math.isclose(sum(_TOY[piece] for piece in found), _best("\u2581" + word))


def test_replacements_come_before_cutting(toy: tuple[Tokenizer, list[str]]) -> None:
    tokenizer, _ = toy
    assert list(tokenizer.ids("A\tb")) == list(tokenizer.ids("a b"))


def _best(word: str) -> float:
    if not word:
        return 0.0
    return max(
        (_TOY[word[:n]] + _best(word[n:]) for n in range(1, len(word) + 1) if word[:n] in _TOY),
        default=-math.inf,
    )
