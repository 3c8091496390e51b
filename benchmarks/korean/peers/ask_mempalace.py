"""MemPalace: the sessions mined as conversations, asked by the search that its tools call."""

import json
import os
import subprocess
import sys
from pathlib import Path

os.environ |= {
    "MEMPALACE_EMBEDDING_MODEL": "openai-compat",
    "MEMPALACE_EMBEDDING_API_URL": os.environ["EMBEDDINGS_URL"],
    "MEMPALACE_EMBEDDING_API_MODEL": "e5",
    "MEMPALACE_EMBEDDING_API_KEY": "none",
}

from mempalace.searcher import search_memories

_SHOWN = 5
_PROGRAM = Path(sys.executable).with_name("mempalace")


def write_conversations(sessions: Path, folder: Path) -> None:
    """Write sessions as its miner reads them: what the user said behind `>`, then the answer."""
    folder.mkdir()
    for file in sorted(sessions.glob("*.jsonl")):
        lines = file.read_text(encoding="utf-8").splitlines()[1:]
        turns = [json.loads(line) for line in lines]
        text = "\n\n".join(
            f"> {' '.join(turn['text'].split())}" if turn["role"] == "user" else turn["text"]
            for turn in turns
        )
        (folder / f"{file.stem}.md").write_text(text + "\n", encoding="utf-8")


def main() -> None:
    palace, talks = Path("palace").resolve(), Path("talks").resolve()
    write_conversations(Path(sys.argv[1]), talks)
    command = [str(_PROGRAM), "--palace", str(palace), "mine", str(talks), "--mode", "convos"]
    subprocess.run([*command, "--direct"], check=True, stdout=sys.stderr)
    for line in sys.stdin:
        question = json.loads(line)
        found = search_memories(question["ask"], str(palace), n_results=_SHOWN)
        texts = [" ".join(row["text"].split()) for row in found["results"]]
        row = {"id": question["id"], "text": "\n".join(texts)}
        print(json.dumps(row, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
