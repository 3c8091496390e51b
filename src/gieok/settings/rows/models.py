"""Settings of the models that embed and rerank."""

from gieok import registry
from gieok.settings.option import Option

OPTIONS = (
    Option(
        "embedder",
        "e5",
        (
            "what makes vectors: e5 (bundled), a model of yours (docs/backends.md), or none "
            "(keyword search only)"
        ),
        choices=(*registry.EMBEDDERS, "none"),
    ),
    Option(
        "embedder.model",
        "",
        "the model's name at its service; for onnx the folder of an exported model",
    ),
    Option(
        "embedder.base_url",
        "",
        "address of the service, if not the usual one; needed for compatible",
        is_address=True,
    ),
    Option(
        "embedder.key_variable", "", "variable that holds the key; else the service's usual one"
    ),
    Option(
        "embedder.dimension",
        0,
        "numbers a vector is cut to, for models that were trained so; 0: all",
        low=0,
    ),
    Option(
        "embedder.query_prompt", "auto", "put before a question; auto: as the model's makers say"
    ),
    Option(
        "embedder.passage_prompt", "auto", "put before a passage; auto: as the model's makers say"
    ),
    Option(
        "embedder.pooling",
        "auto",
        "for onnx, how tokens become one vector; auto: as the folder says",
        choices=("auto", "mean", "cls", "last", "max"),
    ),
    Option("embedder.timeout_s", 60.0, "how long a service may take for a request", low=1),
    Option(
        "embedder.daily_tokens",
        0,
        "tokens a service may embed in a day, then words alone; 0: no limit",
        low=0,
    ),
    Option(
        "reranker",
        "none",
        (
            "reads question and hits together, after ranking: a model of yours "
            "(docs/backends.md), or none"
        ),
        choices=(*registry.RERANKERS, "none"),
    ),
    Option(
        "reranker.model",
        "",
        "the model's name at its service; for onnx the folder of an exported cross-encoder",
    ),
    Option("reranker.base_url", "", "as embedder.base_url, for the reranker", is_address=True),
    Option("reranker.key_variable", "", "as embedder.key_variable, for the reranker"),
    Option("reranker.candidates", 20, "how many hits it reads", low=1),
    Option("reranker.timeout_s", 10.0, "how long it may take before hits stand as they are", low=1),
    Option("reranker.daily_tokens", 0, "as embedder.daily_tokens, for the reranker", low=0),
    Option("threads", 1, "threads for embedding; more is slower beside other work", low=1),
)
