"""How to install what is missing, as this copy of Gieok was installed: no index is named that does not have it."""

import os
import shlex
import sys
from collections.abc import Mapping

_NAME = "gieok"


def command(extra: str) -> str:
    """Return the command line that installs an extra."""
    return _command(extra, _origin(), sys.prefix)


def _origin() -> Mapping[str, object]:
    """Return where this copy came from (PEP 610); empty for an index."""
    import json
    from importlib import metadata  # only to tell of what is missing

    try:
        found = json.loads(metadata.distribution(_NAME).read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _command(extra: str, origin: Mapping[str, object], prefix: str) -> str:
    url, folder = str(origin.get("url", "")), origin.get("dir_info")
    wanted = f"{_NAME}[{extra}]"
    if url.startswith("file://") and isinstance(folder, Mapping):
        from urllib.request import url2pathname

        wanted = f"{url2pathname(url[len('file://') :])}[{extra}]"
    elif url:
        wanted = f"{_NAME}[{extra}] @ {url}"
    editable = "-e " if isinstance(folder, Mapping) and folder.get("editable") else ""
    parts = prefix.replace(os.sep, "/").split("/")
    if "uv" in parts and "tools" in parts:
        return f"uv tool install {editable}{shlex.quote(wanted)}"
    if "pipx" in parts:
        return f"pipx install --force {editable}{shlex.quote(wanted)}"
    return f"pip install {editable}{shlex.quote(wanted)}"
