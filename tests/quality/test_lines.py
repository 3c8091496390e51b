"""No folder grows and no file gets long without a decision: `make lines` writes the ratchet anew."""

import lines
import pytest

_RATCHET = lines.read()
_FOLDERS = lines.folders()


@pytest.mark.parametrize("folder", sorted(_FOLDERS.keys() | _RATCHET.folders.keys()))
def test_no_folder_grows_unnoticed(folder: str) -> None:
    now, most = _FOLDERS[folder], _RATCHET.folders.get(folder, 0)
    assert now <= most, (
        f"{folder} has {now} lines, the ratchet says {most}: shrink it, or `make lines` and say why in the commit"
    )
    assert now, f"{folder} is gone: `make lines`"


@pytest.mark.parametrize("path", [path for path, count in lines.files().items() if count > lines.LONGEST])
def test_a_long_file_gives_its_reason(path: str) -> None:
    reason = _RATCHET.long_files.get(path, "")
    assert reason.strip(" .") not in ("", "say why"), (
        f"{path} has more than {lines.LONGEST} lines: split it, or give the reason in lines.json"
    )


def test_no_reason_outlives_its_file() -> None:
    assert {path for path in _RATCHET.long_files if lines.files().get(path, 0) <= lines.LONGEST} == set()
