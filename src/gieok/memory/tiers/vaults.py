"""Finder of Obsidian's vaults on this machine, from Obsidian's own list."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

#: A folder with this one in it is a vault.
MARK = ".obsidian"
_LIST = "obsidian.json"


class Vault(NamedTuple):
    """Obsidian vault: its folder, its last opening (milliseconds), and whether it is open now."""

    path: Path
    opened_ms: int = 0
    is_open: bool = False


def find_obsidian_vaults(environment: Mapping[str, str], user: Path) -> list[Vault]:
    """Return the existing vaults that Obsidian knows, open ones first, then by last use."""
    known: dict[Path, Vault] = {}
    for file in _iter_vault_lists(environment, user):
        for vault in _iter_listed_vaults(file):
            if vault.path.is_dir():
                known.setdefault(vault.path.resolve(), vault)
    return sorted(
        known.values(), key=lambda vault: (not vault.is_open, -vault.opened_ms, vault.path)
    )


def is_vault(folder: Path) -> bool:
    """Say whether a folder is a vault."""
    return (folder / MARK).is_dir()


def _iter_vault_lists(environment: Mapping[str, str], user: Path) -> Iterator[Path]:
    """Yield the paths of Obsidian's vault list: Linux, flatpak, snap, macOS, Windows."""
    configured = environment.get("XDG_CONFIG_HOME")
    yield (Path(configured) if configured else user / ".config") / "obsidian" / _LIST
    yield user / ".var/app/md.obsidian.Obsidian/config/obsidian" / _LIST
    snap = user / "snap/obsidian"
    yield from sorted(
        snap.glob(f"*/.config/obsidian/{_LIST}"),
        key=lambda file: ("current" not in file.parts, file),
    )
    yield user / "Library/Application Support/obsidian" / _LIST
    if roaming := environment.get("APPDATA"):
        yield Path(roaming) / "obsidian" / _LIST


def _iter_listed_vaults(file: Path) -> Iterator[Vault]:
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))["vaults"].values()
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return
    for row in rows:
        if (
            isinstance(row, dict)
            and isinstance(row.get("path"), str)
            and Path(row["path"]).is_absolute()
        ):
            at = row.get("ts")
            yield Vault(
                Path(row["path"]), at if isinstance(at, int) else 0, row.get("open") is True
            )
