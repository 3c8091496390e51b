"""The contract of `Embedder`: unit vectors of one size, which depend on the text alone."""

import math
import struct
from typing import ClassVar

import pytest

from gieok.ports.models import Embedder

_ODD_TEXTS = [
    "",
    " ",
    "\n\t\u3000",
    "\0",
    "a\0b",
    "🍜🙂",
    "\ud800",
    "a\udfffb",
    "é ø Ω я あ",
    "\u1112\u1161\u11ab",
    "\u202e\ufeff\u200b",
    "</s><mask>",
    "x" * 5000,
    "가" * 1200,  # more than one window of a model that reads 512 tokens, in one word
    "▁▁ ▁",
]

#: A question, the passage that answers it, and other passages: some share its subject, some its
#: words, some neither.
_ANSWERED = [
    (
        "회의는 언제로 옮겼지?",
        "회의 시간은 화요일 오후 세 시로 바뀌었다.",
        [
            "회의실 의자가 부서졌다.",
            "우리는 언제나 걸어서 다닌다.",
            "The cat sleeps by the window.",
            "김치찌개는 돼지고기로 끓인다.",
        ],
    ),
    (
        "Where do we keep the backups?",
        ("Nightly copies of the database go to the storage box in Frankfurt."),
        [
            "The keeper saved a penalty.",
            "He walked back up the hill.",
            "화요일 오후 세 시에 모인다.",
            "The invoice parser is slow.",
        ],
    ),
    (
        "고양이 이름이 뭐야?",
        "My cat is called Nabi.",
        [
            ("The meeting was moved to Tuesday."),
            "The server listens on port 8080.",
            "Take this medicine after meals.",
        ],
    ),
    (
        "Which port does the server listen on?",
        "서버는 8080번 포트를 쓴다.",
        ["항구에 배가 들어왔다.", "우리 고양이는 나비라고 부른다.", "회의는 화요일로 옮겼다."],
    ),
]


class EmbedderContract:
    """Tests of the sentences of `gieok.ports.Embedder`.

    A subclass defines the fixture `embedder`.
    """

    #: Whether the model knows meaning beyond shared words; if not, the tests of meaning are
    #: skipped.
    understands: ClassVar[bool] = True

    def test_a_vector_is_of_unit_length_and_of_the_stated_dimension(
        self, embedder: Embedder
    ) -> None:
        for raw in (
            *embedder.embed_passages(["결제 서버", "cat"]),
            embedder.embed_query("결제는?"),
        ):
            assert len(_unpack_embedding(raw)) == embedder.dimension
            assert math.hypot(*_unpack_embedding(raw)) == pytest.approx(1, abs=1e-5)

    def test_vectors_come_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        texts = [f"문장 {n} sentence {'word ' * (n % 7)}" for n in range(12)]
        assert embedder.embed_passages(texts[::-1]) == embedder.embed_passages(texts)[::-1]

    def test_no_texts_give_no_vectors(self, embedder: Embedder) -> None:
        assert embedder.embed_passages([]) == []

    def test_a_text_has_the_same_vector_whatever_is_embedded_with_it(
        self, embedder: Embedder
    ) -> None:
        texts = ["결제 서버가 멈췄다.", "cat", "", "회의 " * 300, "결제 서버가 멈췄다."]
        alone = [embedder.embed_passages([text])[0] for text in texts]
        assert embedder.embed_passages(texts) == alone
        assert embedder.embed_passages(texts[3:0:-1]) == alone[3:0:-1]

    def test_a_question_has_the_same_vector_each_time(self, embedder: Embedder) -> None:
        assert embedder.embed_query("결제는 언제?") == embedder.embed_query("결제는 언제?")

    @pytest.mark.parametrize("text", _ODD_TEXTS, ids=lambda text: ascii(text[:12]))
    def test_any_text_has_a_vector(self, embedder: Embedder, text: str) -> None:
        for raw in (*embedder.embed_passages([text]), embedder.embed_query(text)):
            assert math.hypot(*_unpack_embedding(raw)) == pytest.approx(1, abs=1e-5)

    def test_nul_does_not_cut_a_text(self, embedder: Embedder) -> None:
        whole, cut = embedder.embed_passages(["앞부분 front\0 고양이 cat", "앞부분 front"])
        assert whole != cut

    def test_the_whole_of_a_long_text_counts(self, embedder: Embedder) -> None:
        filler = "우리는 산에 올라갔다. " * 150
        plain, telling, question = embedder.embed_passages(
            [filler, filler + "결제 서버가 멈췄다. " * 50, "결제 서버가 멈췄다."]
        )
        assert _measure_cosine(telling, question) > _measure_cosine(plain, question)

    @pytest.mark.parametrize(
        "text",
        ["word " * 40_000, "x" * 200_000, "가나다라" * 50_000],
        ids=["words", "letters", "Hangul"],
    )
    def test_a_huge_text_is_embedded_too(self, embedder: Embedder, text: str) -> None:
        (raw,) = embedder.embed_passages([text])
        assert len(_unpack_embedding(raw)) == embedder.dimension

    @pytest.mark.parametrize(
        ("question", "answer", "others"), _ANSWERED, ids=["ko", "en", "ko-en", "en-ko"]
    )
    def test_a_question_is_nearest_to_the_passage_that_answers_it(
        self, embedder: Embedder, question: str, answer: str, others: list[str]
    ) -> None:
        if not self.understands:
            pytest.skip(f"{embedder.model} compares words only")
        query = embedder.embed_query(question)
        answering, *rest = (
            _measure_cosine(query, raw) for raw in embedder.embed_passages([answer, *others])
        )
        assert answering > max(rest)


def _unpack_embedding(raw: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(raw) // 4}f", raw)


def _measure_cosine(a: bytes, b: bytes) -> float:
    return sum(x * y for x, y in zip(_unpack_embedding(a), _unpack_embedding(b), strict=True))
