"""Reranker on a local folder with an exported cross-encoder.

Examples: bge-reranker-v2-m3, ms-marco-MiniLM and their kin.
"""

import math
from collections.abc import Sequence

from gieok.errors import RerankerFailed
from gieok.models.onnx_folder import OnnxFolder, plain_name
from gieok.opening import ModelOpening

_MOST_CHARACTERS = 65_536


class OnnxReranker:
    """`Reranker` on a folder whose graph gives one logit for a pair, or two (no, yes)."""

    def __init__(self, opening: ModelOpening) -> None:
        self._folder = OnnxFolder(opening, "reranker.model", RerankerFailed)
        self.model = f"onnx:{plain_name(self._folder.folder)}@{self._folder.fingerprint()}"

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the logistic function of each pair's logit. Raises RerankerFailed."""
        return [self._score(question[:_MOST_CHARACTERS], text[:_MOST_CHARACTERS]) for text in texts]

    def _score(self, question: str, text: str) -> float:
        outputs = self._folder.run(self._folder.windows(question, text)[0])
        logits = outputs.get("logits", next(iter(outputs.values())))
        if logits.ndim != 2 or logits.shape[1] > 2:
            raise RerankerFailed(
                "the graph in {folder!r} is no cross-encoder: its output has the shape {shape}",
                folder=self._folder.folder,
                shape=logits.shape,
                hint="export it for sequence classification",
            )
        row = [float(value) for value in logits[0]]
        logit = row[0] if len(row) == 1 else row[1] - row[0]
        if math.isnan(logit):
            raise RerankerFailed(
                "the model in {folder!r} gives no numbers", folder=self._folder.folder
            )
        return 1 / (1 + math.exp(-max(min(logit, 60.0), -60.0)))
