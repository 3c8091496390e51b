"""mem0, without a language model: each turn of the user is added as it is (`infer=False`)."""

import json
import os
import sys
from pathlib import Path

os.environ["MEM0_TELEMETRY"] = "False"

from mem0 import Memory

_URL = os.environ["EMBEDDINGS_URL"]
_SHOWN = 5


def main() -> None:
    openai = {"api_key": "none", "openai_base_url": _URL}
    memory = Memory.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {"path": "qdrant", "embedding_model_dims": 384, "on_disk": False},
            },
            "embedder": {
                "provider": "openai",
                "config": {**openai, "model": "e5", "embedding_dims": 384},
            },
            "llm": {"provider": "openai", "config": openai},
            "history_db_path": "history.db",
        }
    )
    for file in sorted(Path(sys.argv[1]).glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines()[1:]:
            turn = json.loads(line)
            if turn["role"] == "user":
                said = [{"role": "user", "content": turn["text"]}]
                memory.add(said, user_id="me", infer=False)
    for line in sys.stdin:
        question = json.loads(line)
        found = memory.search(question["ask"], filters={"user_id": "me"}, top_k=_SHOWN)
        texts = [" ".join(row["memory"].split()) for row in found["results"]]
        answer = {"id": question["id"], "text": "\n".join(texts)}
        print(json.dumps(answer, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
