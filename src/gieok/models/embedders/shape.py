"""Shape of a model's vectors: the name that identifies the shape, and unit vectors as bytes."""

import hashlib
from collections.abc import Sequence

from gieok.errors import EmbedderFailed
from gieok.models.embedders.prompts import Prompts
from gieok.opening import ModelOpening


def format_vector_model_name(opening: ModelOpening, prompts: Prompts, model: str = "") -> str:
    """Return the name of a vector model, which changes whenever its vectors would.

    Examples: `ollama:bge-m3`, `openai:text-embedding-3-small/512`. Prompts are part of the name, as
    six digits of their hash, because passages are embedded with them.
    """
    size = f"/{opening.dimension}" if opening.dimension else ""
    prompt_hash = (
        hashlib.sha1("\0".join(prompts).encode(), usedforsecurity=False).hexdigest()[:6]
        if any(prompts)
        else ""
    )
    return f"{opening.provider}:{model or opening.model}{size}" + (
        f"#{prompt_hash}" if prompt_hash else ""
    )


def pack_unit_vectors(rows: Sequence[object], dimension: int) -> list[bytes]:
    """Return unit vectors, little-endian float32, cut to `dimension` numbers (0: uncut).

    The first numbers of a vector are a vector by themselves where the model was trained for that
    (Matryoshka). Raises EmbedderFailed.
    """
    import numpy as np

    packed = []
    for row in rows:
        try:
            vector = np.asarray(row, np.float32)
        except (TypeError, ValueError) as error:
            raise EmbedderFailed("the embedder gave something that is no vector") from error
        if vector.ndim != 1 or not vector.size:
            raise EmbedderFailed("the embedder gave something that is no vector")
        if dimension > vector.size:
            raise EmbedderFailed(
                (
                    "the embedder gives vectors of {size} numbers, `embedder.dimension` is "
                    "{dimension}"
                ),
                size=vector.size,
                dimension=dimension,
                hint=("set `embedder.dimension: {size}` or 0, and run `gieok index --rebuild`"),
            )
        vector = vector[: dimension or None]
        length = float(np.linalg.norm(vector))
        if not 0 < length < float("inf"):
            raise EmbedderFailed("the embedder gave a vector that points nowhere")
        packed.append((vector / np.float32(length)).astype("<f4").tobytes())
    return packed
