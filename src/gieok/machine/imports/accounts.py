"""Account that an export is of: programs write it in a small file of its own."""

import json
from pathlib import Path, PurePosixPath

from gieok.machine.imports.fields import listing, read_mapping, text
from gieok.ports.imports import ImportFiles

#: Program → the file that names its user, and the field with their address.
_ACCOUNT_FILES = {"chatgpt": ("user.json", "email"), "claude": ("users.json", "email_address")}
_MOST_BYTES = 1 << 16


def find_export_account(program: str, files: ImportFiles) -> str:
    """Return the address of the account that an export is of; '' where the export names none.

    The file that names it lies in the archive or folder of the export, or beside its only file.
    """
    if program not in _ACCOUNT_FILES:
        return ""
    name, field = _ACCOUNT_FILES[program]
    beside = files.path.with_name(name)
    try:
        if files.names() == [files.path.name]:
            content = _read_file_beside(beside)
        else:
            found = [own for own in files.names() if PurePosixPath(own).name == name]
            content = b""
            if found:
                with files.open(found[0]) as file:
                    content = file.read(_MOST_BYTES)
        told = json.loads(content) if content else None
    except (OSError, ValueError, RecursionError):
        return ""
    users = listing(told) if isinstance(told, list) else [told]
    addresses = {text(read_mapping(user).get(field)) for user in users} - {""}
    return addresses.pop() if len(addresses) == 1 else ""


def _read_file_beside(file: Path) -> bytes:
    if not file.is_file() or file.is_symlink():
        return b""
    with file.open("rb") as opened:
        return opened.read(_MOST_BYTES)
