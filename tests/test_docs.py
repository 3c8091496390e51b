"""What the documents say of the code is there."""

import runpy
from pathlib import Path

import pytest

from gieok.config import OPTIONS
from gieok.ops import NAMES

_ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", NAMES)
def test_every_operation_is_in_the_documents(name: str) -> None:
    assert f"gieok {name}" in (_ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    group, _, rest = name.rpartition(" ")
    for document in ("README.md", "README.ko.md"):
        rows = (_ROOT / document).read_text(encoding="utf-8").splitlines()
        assert any(
            f"| `gieok {name}` |" in row or (f"| `gieok {group}` |" in row and f"`{rest}`" in row) for row in rows
        )


def test_the_readme_is_read_in_one_go() -> None:
    for document in ("README.md", "README.ko.md"):
        assert len((_ROOT / document).read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_every_setting_is_in_the_documents(option: object) -> None:
    assert f"| `{option.name}` | `{option.default}` |" in (_ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def test_the_generated_parts_of_the_documents_are_up_to_date() -> None:
    stale = runpy.run_path(str(_ROOT / "scripts" / "docs.py"))["stale"]()
    assert not stale, f"run `make docs`: {', '.join(stale)}"


def test_every_file_is_in_the_architecture() -> None:
    text = (_ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    stems = {file.stem for file in (_ROOT / "src" / "gieok").rglob("*.py") if "contracts" not in file.parts} - {
        "__init__"
    }
    missing = {stem for stem in stems if stem not in text and stem.replace("_", "-") not in text}
    assert missing <= {
        "__main__",
        "clock",
        "hash_embedder",
        "memory_store",
        "samples",
        "scripted_chat",
        "scripted_generator",
    }


def test_links_between_documents_lead_somewhere() -> None:
    for document in (*_ROOT.glob("*.md"), *(_ROOT / "docs").glob("*.md")):
        for target in _links(document.read_text(encoding="utf-8")):
            path, _, heading = target.partition("#")
            assert (document.parent / path).exists(), f"{document.name} → {target}"
            assert not heading or heading in _headings(document.parent / path), f"{document.name} → {target}"


def _headings(document: Path) -> set[str]:
    lines = document.read_text(encoding="utf-8").splitlines()
    return {line.lstrip("#").strip().lower().replace(" ", "-") for line in lines if line.startswith("#")}


def _links(text: str) -> list[str]:
    return [part.partition(")")[0] for part in text.split("](")[1:] if not part.startswith("http")]
