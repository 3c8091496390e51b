"""Judge of prompts: may memory bear on a prompt, or does the prompt need none.

A prompt needs no memory where it asks of the world or of the code at hand. `scripts/fit_prompts.py`
fits the judge on prompts written and labelled for this (`scripts/learned/prompts.tsv`).
"""

from array import array
from functools import lru_cache
from operator import mul

from gieok.ranking.learned.weights import LearnedWeights, learned


def find_prompts_model() -> str:
    """Return the embedding model whose vectors the prompt judge takes."""
    return _load_prompt_weights().model


def asks_memory(vector: bytes, model: str) -> float:
    """Return the log-odds that memory may bear on a prompt, given its vector as a question.

    0 for a vector of another embedding model.
    """
    weights = _load_prompt_weights()
    if model != weights.model:
        return 0.0
    log_odds: float = weights.numbers["bias"] + sum(
        map(mul, weights.matrices["vector"][0], array("f", vector))
    )
    return log_odds


@lru_cache(1)
def _load_prompt_weights() -> LearnedWeights:
    return learned("prompts")
