"""Moves a home from embedder to embedder and back while another process searches: nothing may be
lost.

    python benchmarks/switch.py [--models FOLDER] [--json]

In a fresh home: notes of tests/quality/corpus.json, the bundled embedder; then Ollama's protocol,
OpenAI's, a local ONNX folder, and back. The services are loopback servers that answer with the
bundled model's vectors, the folder is the bundled model written as an exported one, so quality is
real. Every move is `gieok index --rebuild`; the first is killed (-9) half-way and run again.
"""

import argparse
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, compose, helper, numpy_helper

from gieok.models.local.runtime import E5Embedder
from gieok.testing.embedding_server import EmbeddingServer

ROOT = Path(__file__).parents[1]
CORPUS = json.loads((ROOT / "tests" / "quality" / "corpus.json").read_text(encoding="utf-8"))[
    "groups"
][0]
PASSAGES = {item["id"]: item["text"] for item in CORPUS["items"]}

#: Passages between two writes of a switch.
_BATCH = 64
#: Searches until its standard input closes, and prints a line for each question: place of the
#: answer, and what it was told.
SEARCHER = """
import json, select, sys
from pathlib import Path
from gieok.home.calls import open_call
from gieok.home.resident import Resident
from gieok.commands.memory.search import search_memory
resident = Resident()
asked = json.load(open(sys.argv[1]))
once = sys.argv[2] == "once"
while True:
    for question, answers in asked:
        if not once and select.select([sys.stdin], [], [], 0)[0]:
            sys.exit()
        row = {"place": 0, "degraded": "", "error": ""}
        try:
            context = open_call({}, resident=resident)
            result = search_memory(context, query=[question], min_score=0.0, limit=5)
            texts = [" ".join(hit.snippet.split()) for hit in result.results]
            row["place"] = next((n for n, text in enumerate(texts, 1) if any(a in text for a in answers)), 0)
            row["hits"], row["degraded"] = len(texts), result.degraded or ""
        except Exception as error:
            row["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(row), flush=True)
    if once:
        break
"""


def notes(folder: Path) -> None:
    """Write the notes: a file for each item, so that there is more than one batch of passages."""
    for item in CORPUS["items"]:
        file = folder / Path(item["session"]).stem.replace(" ", "-") / f"{item['id']}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(item["text"] + "\n", encoding="utf-8")


def exported(folder: Path, models: Path) -> Path:
    """Write the bundled model as an exported folder: ids in, sentence vector out, a tokenizer of
    the library's own.
    """
    from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers, processors
    from tokenizers import models as kinds

    from gieok.models.local.encoder import decode_nibble_rows
    from gieok.models.local.releases import CURRENT

    bundled = models / CURRENT.folder
    folder.mkdir(parents=True)
    rows = np.load(bundled / "rows.npy")
    table = decode_nibble_rows(np.load(bundled / "scales.npy"), rows).astype(np.float16)
    constants = {
        "table": table,
        "positions": np.load(bundled / "positions.npy"),
        "zero": np.array([0], np.int64),
        "one": np.array([1], np.int64),
    }
    nodes = [
        helper.make_node("Squeeze", ["input_ids", "zero"], ["ids"]),
        helper.make_node("Gather", ["table", "ids"], ["looked_up"]),
        helper.make_node("Shape", ["ids"], ["count"]),
        helper.make_node("Slice", ["positions", "zero", "count", "zero"], ["places"]),
        helper.make_node("Add", ["looked_up", "places"], ["halves"]),
        helper.make_node("Cast", ["halves"], ["embedded"], to=TensorProto.FLOAT),
    ]
    before = helper.make_graph(
        nodes,
        "before",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])],
        [helper.make_tensor_value_info("embedded", TensorProto.FLOAT, ["tokens", 384])],
        [
            numpy_helper.from_array(value, name)
            for name, value in constants.items()
            if name != "one"
        ],
    )
    encoder = onnx.load(bundled / "encoder.onnx")
    first = helper.make_model(
        before, opset_imports=encoder.opset_import, ir_version=encoder.ir_version
    )
    encoder = compose.add_prefix(encoder, "e5/")
    joined = compose.merge_models(first, encoder, io_map=[("embedded", "e5/rows")])
    joined.graph.initializer.append(numpy_helper.from_array(constants["one"], "one"))
    joined.graph.node.append(
        helper.make_node("Unsqueeze", ["e5/mean", "zero"], ["sentence_embedding"])
    )
    del joined.graph.output[:]
    joined.graph.output.append(
        helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, [1, 384])
    )
    onnx.save(joined, folder / "model.onnx", save_as_external_data=True, location="model.onnx_data")

    lines = (bundled / "pieces.txt").read_bytes().decode().split("\n")
    scores = np.frombuffer((bundled / "scores.bin").read_bytes(), "<f4")
    vocabulary: list[tuple[str, float]] = [("<s>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    for line in lines:
        vocabulary += [(piece, 0.0) for piece in line.split("\t")[2:]]
    vocabulary = [
        (piece, float(score)) for (piece, _), score in zip(vocabulary, scores, strict=True)
    ]
    made = Tokenizer(kinds.Unigram(vocabulary, unk_id=2))
    made.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()]
    )
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    made.save(str(folder / "tokenizer.json"))
    prompts = {"prompts": {"query": "query: ", "document": "passage: "}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    (folder / "config.json").write_text(json.dumps({"max_position_embeddings": 512}))
    return folder


class Home:
    """A fresh home, and what is run in it."""

    def __init__(self, folder: Path, models: Path) -> None:
        self.folder, self.home = folder, folder / "home"
        self.home.mkdir(mode=0o700)
        (self.home / "models").symlink_to(models)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "GIEOK_HOME": str(self.home),
            "LANG": "C.UTF-8",
            "OMP_NUM_THREADS": "1",
        }
        asked = [
            (q["q"], [" ".join(PASSAGES[i].split())[:60] for i in q["gold"]])
            for q in CORPUS["questions"]
        ]
        (folder / "asked.json").write_text(json.dumps(asked))

    def use(self, settings: dict[str, str]) -> None:
        """Write the settings."""
        (self.home / "config.yaml").write_text(json.dumps(settings))

    def start(self, *words: str) -> "subprocess.Popen[str]":
        """Start gieok."""
        return self._popen([sys.executable, "-m", "gieok", *words])

    def gieok(self, *words: str) -> str:
        """Run gieok, and return what it prints."""
        process = self.start(*words)
        told, wrong = process.communicate()
        if process.returncode:
            sys.exit(f"gieok {' '.join(words)}: {wrong}")
        return told

    def searcher(self, how: str) -> "subprocess.Popen[str]":
        """Start the process that searches."""
        return self._popen([sys.executable, "-c", SEARCHER, str(self.folder / "asked.json"), how])

    def quality(self) -> tuple[float, float]:
        """Return how often the answer is the first hit, and among the first five."""
        rows = list(_rows(self.searcher("once").communicate()[0]))
        return sum(r["place"] == 1 for r in rows) / len(rows), sum(
            r["place"] > 0 for r in rows
        ) / len(rows)

    def _popen(self, command: list[str]) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            command,
            env=self.environment,
            cwd=self.folder,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


def _rows(text: str) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in text.splitlines() if line.startswith("{"))


def moved(
    home: Home, settings: dict[str, str], kill_after: Callable[[], int] | None = None
) -> dict[str, Any]:
    """Switch while another process searches; return what it saw, and the quality afterwards.

    With `kill_after`, which counts the passages that were asked for, the first try is killed in its
    second batch.
    """
    searcher = home.searcher("on")
    assert searcher.stdin is not None
    assert searcher.stdout is not None
    searcher.stdout.readline()  # it searches
    home.use(settings)
    resumed = 0
    if kill_after:
        before, process = kill_after(), home.start("index", "--rebuild")
        while process.poll() is None and kill_after() - before < _BATCH + 10:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        resumed = (json.loads(home.gieok("status", "--json"))["switch"] or {}).get("done", 0)
    told = json.loads(home.gieok("index", "--rebuild", "--json"))
    time.sleep(0.5)
    searcher.stdin.write("end\n")
    rows = list(_rows(searcher.communicate()[0]))
    status = json.loads(home.gieok("status", "--json"))
    first, five = home.quality()
    return {
        "to": settings.get("embedder", "e5"),
        "embedded": told["embedded"],
        "made_before_kill": resumed,
        "searches_meanwhile": len(rows),
        "errors": [row["error"] for row in rows if row["error"]],
        "without_a_hit": sum(not row.get("hits") for row in rows),
        "words_alone": sum("keyword search only" in row["degraded"] for row in rows),
        "said_to_be_behind": sum("vectors are of" in row["degraded"] for row in rows),
        "recalled@5_meanwhile": round(sum(row["place"] > 0 for row in rows) / max(len(rows), 1), 3),
        "hit@1": round(first, 3),
        "recalled@5": round(five, 3),
        "vectors": f"{status['vectors']}/{status['passages']}",
        "state": status["state"],
    }


def main() -> None:
    """Go there and back."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=Path, default=ROOT / ".cache" / "models")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    e5 = E5Embedder(arguments.models)

    def embed(text: str) -> list[float]:
        if not text.startswith("query: "):
            time.sleep(0.03)  # as slow as a larger model: so that there is a half-way
        is_query = text.startswith("query: ")
        bare = text.removeprefix("query: ").removeprefix("passage: ")
        raw = e5.embed_query(bare) if is_query else e5.embed_passages([bare])[0]
        return list(struct.unpack("<384f", raw))

    server = EmbeddingServer(embed)
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder), arguments.models.resolve())
        notes(Path(folder) / "notes")
        home.use({})
        home.gieok("index", str(Path(folder) / "notes"))
        first, five = home.quality()
        rows = [{"to": "e5 (at first)", "hit@1": round(first, 3), "recalled@5": round(five, 3)}]
        model = exported(Path(folder) / "e5-exported", arguments.models)
        ollama = {
            "embedder": "ollama",
            "embedder.model": "multilingual-e5-small",
            "embedder.base_url": server.url,
        }
        openai = {**ollama, "embedder": "compatible", "embedder.base_url": f"{server.url}/v1"}

        def asked() -> int:
            """Return how many passages the service was asked for."""
            return sum(len(body["input"]) for _, body in server.requests if len(body["input"]) > 1)

        for settings in (
            ollama,
            openai,
            {"embedder": "onnx", "embedder.model": str(model)},
            {"embedder": "e5"},
        ):
            rows.append(moved(home, settings, asked if settings is ollama else None))
            if not arguments.json:
                print(", ".join(f"{name} {value}" for name, value in rows[-1].items()), flush=True)
    print(json.dumps(rows, ensure_ascii=False) if arguments.json else rows[0])


if __name__ == "__main__":
    main()
