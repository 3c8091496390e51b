"""Settings of the models that embed and rerank."""

from gieok import registry
from gieok.settings.option import Option

OPTIONS = (
    Option(
        "embedder",
        "e5",
        (
            "what makes vectors: e5 (bundled), a model of your own (docs/backends.md), or "
            "none (search by words only)"
        ),
        choices=(*registry.EMBEDDERS, "none"),
    ),
    Option(
        "embedder.model",
        "",
        "name of the model for vectors at its service; for onnx, the folder of an exported model",
    ),
    Option(
        "embedder.base_url",
        "",
        "address of the service for vectors, if it is not the usual one; compatible needs it",
        is_address=True,
    ),
    Option(
        "embedder.key_variable",
        "",
        (
            "environment variable with the key of the service for vectors; empty: the "
            "service's usual one"
        ),
    ),
    Option(
        "embedder.dimension",
        0,
        "how many numbers a vector is cut to, if the model was trained for that; 0: all",
        low=0,
    ),
    Option(
        "embedder.query_prompt",
        "auto",
        "text before a question when its vector is made; auto: as the model's makers say",
    ),
    Option(
        "embedder.passage_prompt",
        "auto",
        "text before a passage when its vector is made; auto: as the model's makers say",
    ),
    Option(
        "embedder.pooling",
        "auto",
        "how onnx makes one vector of the tokens' vectors; auto: as the model's folder says",
        choices=("auto", "mean", "cls", "last", "max"),
    ),
    Option(
        "embedder.timeout_s",
        60.0,
        "seconds that the service for vectors may take for a request",
        low=1,
    ),
    Option(
        "embedder.daily_tokens",
        0,
        (
            "most tokens a day for the service for vectors; after that, words alone "
            "answer; 0: no limit"
        ),
        low=0,
    ),
    Option(
        "reranker",
        "none",
        (
            "model that reads question and hits together after ranking: one of your own "
            "(docs/backends.md), or none"
        ),
        choices=(*registry.RERANKERS, "none"),
    ),
    Option(
        "reranker.model",
        "",
        "name of the reranker at its service; for onnx, the folder of an exported cross-encoder",
    ),
    Option(
        "reranker.base_url",
        "",
        "address of the reranker's service, as embedder.base_url",
        is_address=True,
    ),
    Option(
        "reranker.key_variable",
        "",
        "environment variable with the key of the reranker's service, as embedder.key_variable",
    ),
    Option("reranker.candidates", 20, "how many hits the reranker reads", low=1),
    Option(
        "reranker.timeout_s",
        10.0,
        "seconds that the reranker may take; after that, hits stay in their order",
        low=1,
    ),
    Option(
        "reranker.daily_tokens",
        0,
        "most tokens a day for the reranker's service, as embedder.daily_tokens",
        low=0,
    ),
    Option("threads", 1, "threads for vectors; more than one is slower beside other work", low=1),
)
