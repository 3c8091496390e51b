"""The words in which passages of code are embedded."""

import re
from pathlib import Path

import pytest

from gieok.code.index import embedding, project
from gieok.code.index.project import Project
from gieok.code.index.wording import describe_passage, split_identifiers
from gieok.machine.git import Git
from gieok.machine.parsers.treesitter import TreeSitterParser
from gieok.storage.index.sqlite.graph import ProjectStore
from gieok.testing import HashEmbedder, ManualClock

_PYTHON = '''def drainQueue(maxWait):
    """Send what waits, oldest first."""
    # A slow peer must not hold up the others.
    if maxWait < 0:
        raise ValueError("the wait is negative")
    return sendAll(pendingLetters)
'''


def test_the_name_and_what_is_said_come_before_the_words_of_the_code() -> None:
    words = describe_passage("post/office.py", "post office Desk.drainQueue", _PYTHON)
    assert words == (
        "desk drain queue (office). Send what waits, oldest first. A slow peer must not hold up the"
        " others. the wait is negative max value error all pending letters"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("// Keep the door shut.\nfn lock() {}", "Keep the door shut."),
        ("/// Keep the door shut.\nfn lock() {}", "Keep the door shut."),
        ("/**\n * Keep the door\n * shut.\n */\nvoid lock();", "Keep the door shut."),
        ("/* Keep the door shut. */\nvoid lock();", "Keep the door shut."),
        ("# 문을 닫아 둔다\ndef lock(): ...", "문을 닫아 둔다"),
    ],
)
def test_comments_of_every_language_are_said(text: str, said: str) -> None:
    assert f"(door). {said} " in describe_passage("door.x", "door lock", text)


def test_what_is_said_is_cut_and_other_words_are_few_and_each_stands_once() -> None:
    words = describe_passage(
        "a.py",
        "a f",
        f"# {'long ' * 300}\n"
        "alpha beta alpha\n"
        + "".join(f"w{chr(97 + n // 26)}{chr(97 + n % 26)}\n" for n in range(200)),
    )
    assert words.count("long") == 100
    assert words.count("alpha") == 1
    assert len(words.partition("alpha")[2].split()) == 29


def test_a_document_is_embedded_by_its_beginning() -> None:
    assert describe_passage("README.md", "README Install", "# Install\n\nRun it.\n") == (
        "# Install\n\nRun it.\n"
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("parseHTMLPage", "parse html page"),
        ("MAX_RETRY_2", "max retry 2"),
        ("Shop.total", "shop total"),
        ("합계구하기", "합계구하기"),
    ],
)
def test_a_name_is_split_into_its_words(name: str, words: str) -> None:
    assert split_identifiers(name) == words


def _embed(root: Path, store: ProjectStore) -> int:
    made = Project(root, store, TreeSitterParser(), Git(root), ManualClock())
    project.sync_project(made)
    embedder = HashEmbedder()
    store.use_model(embedder.model, embedder.dimension)
    count = len(embedding.order(made))
    texts = [(one.id, one.text) for one in store.passages(embedding.order(made))]
    wording = embedding.PassageWording(store)
    vectors = embedder.embed_passages(wording(texts))
    store.put_vectors(
        embedder.model, {number: vector for (number, _), vector in zip(texts, vectors, strict=True)}
    )
    return count


def test_a_function_under_another_name_is_embedded_again_and_one_in_another_folder_is_not(
    tmp_path: Path,
) -> None:
    root = tmp_path / "tree"
    (root / "old").mkdir(parents=True)
    code = "class Desk:\n    def serve(self, who):\n        return self.counter.wait(who)\n"
    (root / "old" / "desk.py").write_text(code, encoding="utf-8")
    with_store = ProjectStore(tmp_path / "i.sqlite")
    first = _embed(root, with_store)
    assert first
    (root / "new").mkdir()
    (root / "old" / "desk.py").rename(root / "new" / "desk.py")
    assert _embed(root, with_store) == 0
    (root / "new" / "desk.py").write_text(re.sub("Desk", "Till", code), encoding="utf-8")
    assert _embed(root, with_store) == first
    with_store.close()
