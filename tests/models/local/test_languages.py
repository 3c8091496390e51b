"""What a vector says of its text's language is taken out, so that a question finds the other
language too.
"""

import math
import struct

from gieok.models.local.runtime import E5Embedder


def test_a_question_lies_nearer_to_its_answer_in_the_other_language_than_to_another_text_in_its_own(
    e5: E5Embedder,
) -> None:
    answer, other = e5.embed_passages(["My cat is called Nabi.", "내일은 비가 온다고 했다."])
    question = e5.embed_query("고양이 이름이 뭐야?")
    assert _cosine(question, answer) > _cosine(question, other)


def _cosine(a: bytes, b: bytes) -> float:
    return math.fsum(
        x * y for x, y in zip(struct.unpack("<384f", a), struct.unpack("<384f", b), strict=True)
    )
