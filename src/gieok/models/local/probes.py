"""Probe sentences by which a machine's 8-bit vectors are compared with the exact ones."""

from itertools import pairwise
from typing import TYPE_CHECKING

from gieok.models.local.encoder import PASSAGE, Encoder

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

SENTENCES = (
    "회의는 다음 주 화요일 오후 세 시로 옮겼습니다.",
    "The meeting was moved to three o'clock next Tuesday.",
    "결제 서비스가 재시도할 때 중복 청구되는 문제를 고쳤다.",
    "We fixed the double charge when the payment service retries.",
    "우리 고양이는 창가에서 자는 것을 좋아해.",
    "My cat likes to sleep by the window.",
    "def parse_invoice_date(text): return datetime.strptime(text, '%Y-%m-%d')",
    "서울에서 부산까지 KTX로 두 시간 반 걸린다.",
)


def embed_probe_sentences(model: Encoder) -> "NDArray[float32]":
    """Return the vectors of the sentences, (8, 384) float32."""
    import numpy as np

    return np.stack([model.vector(PASSAGE, text) for text in SENTENCES])


def neighbour_cosines(vectors: "NDArray[float32]") -> list[float]:
    """Return the cosine of each vector to the one before it."""
    return [round(float(a @ b), 6) for a, b in pairwise(vectors)]
