"""memsearch: a Markdown file a session, a heading and a paragraph a turn of the user, as its
plugins write them.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from memsearch import MemSearch

_SHOWN = 5


def write_notes(sessions: Path, notes: Path) -> None:
    notes.mkdir()
    for file in sorted(sessions.glob("*.jsonl")):
        head, *turns = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
        said = [turn["text"] for turn in turns if turn["role"] == "user"]
        text = "".join(
            f"## {head['at'][:10]} ({number})\n\n{one}\n\n" for number, one in enumerate(said)
        )
        (notes / f"{head['session']}.md").write_text(text, encoding="utf-8")


async def answer(notes: Path, database: Path) -> None:
    memory = MemSearch(
        [notes],
        embedding_provider="openai",
        embedding_model="e5",
        embedding_base_url=os.environ["EMBEDDINGS_URL"],
        embedding_api_key="none",
        milvus_uri=str(database),
    )
    await memory.index()
    for line in sys.stdin:
        question = json.loads(line)
        found = await memory.search(question["ask"], top_k=_SHOWN)
        texts = [" ".join(row["content"].split()) for row in found]
        row = {"id": question["id"], "text": "\n".join(texts)}
        print(json.dumps(row, ensure_ascii=False), flush=True)


def main() -> None:
    notes = Path("notes").resolve()
    write_notes(Path(sys.argv[1]), notes)
    asyncio.run(answer(notes, Path("milvus.db").resolve()))


if __name__ == "__main__":
    main()
