import subprocess
import sys
from pathlib import Path

_TRAINING = Path(__file__).parents[2] / "training"


def test_no_row_is_double_or_contradicts_another_and_no_author_kept_out_is_trained_on() -> None:
    done = subprocess.run(
        [sys.executable, str(_TRAINING / "lint.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert ", 0 errors, " in done.stdout.splitlines()[-1]


def test_an_adapter_is_small_enough_to_be_shipped() -> None:
    adapters = sorted((_TRAINING / "adapters").glob("*.npz"))
    assert [file.stem for file in adapters] == ["find", "relation", "worth"]
    assert all(file.stat().st_size <= 4_000_000 for file in adapters)
