"""The single entry for optional packages, and the command that installs a missing one.

The command fits the way in which this copy of Gieok was installed.

An import inside a function, of a package that the core does not bring, is in a block of
`imports_of`: a missing package is then always named with the command that installs it, and never
raises a bare `ModuleNotFoundError`.
"""

import os
import sys
from collections.abc import Mapping
from types import TracebackType

from gieok.errors import MissingExtra, Phrase

_NAME = "gieok"


class imports_of:  # noqa: N801 - it is called like a function
    """Context manager around imports of packages that an extra of gieok installs.

    `user` names the feature that needs the packages. '' as extra means a package of the core.

    A failing import raises MissingExtra; a failure inside of Gieok's own modules, or of Python's,
    is a bug and raises as it is.
    """

    def __init__(self, extra: str, user: str) -> None:
        self._extra = extra
        self._user = user

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, ImportError) and not _is_ours(error):
            raise build_missing_extra(
                self._extra, self._user, _find_missing_package(error)
            ) from error


def require(extra: str, user: str, modules: tuple[str, ...]) -> None:
    """Raise MissingExtra where one of `modules` is not installed; no module is imported."""
    for module in modules:
        if not is_installed(module):
            raise build_missing_extra(extra, user, module.replace(".", "-").replace("_", "-"))


def is_installed(module: str) -> bool:
    """Return whether a module could be imported, without importing it."""
    from importlib.util import find_spec

    try:
        return find_spec(module) is not None
    except ImportError:  # the package above it is not there
        return False


def build_missing_extra(extra: str, user: str, package: str) -> MissingExtra:
    """Return the error for a package that is not installed."""
    return MissingExtra(
        "{user!r} needs the Python package {package!r}, which is not installed",
        user=user,
        package=package,
        hint=install_hint(extra, package),
    )


def install_hint(extra: str, package: str = "") -> str:
    """Return the command with which a person installs an extra of gieok, or a core package."""
    return (
        Phrase("run `{command}`", command=build_install_command(extra))
        if extra
        else Phrase("run `pip install {package}`", package=package)
    )


def _is_ours(error: ImportError) -> bool:
    top = (error.name or "").partition(".")[0]
    return top == _NAME or top in sys.stdlib_module_names


def _find_missing_package(error: ImportError) -> str:
    """Return the package that a failed import wanted, or the error's text where it is not named."""
    top = (error.name or "").partition(".")[0]
    return top.replace("_", "-") if isinstance(error, ModuleNotFoundError) and top else str(error)


def build_install_command(extra: str) -> str:
    """Return the command line that installs an extra."""
    return _format_install_command(extra, _read_install_origin(), sys.prefix)


def _read_install_origin() -> Mapping[str, object]:
    """Return where this copy was installed from (PEP 610); empty for a package index."""
    import json
    from importlib import metadata  # only to tell of what is missing

    try:
        direct_url = json.loads(metadata.distribution(_NAME).read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return {}
    return direct_url if isinstance(direct_url, dict) else {}


def _format_install_command(extra: str, origin: Mapping[str, object], prefix: str) -> str:
    import shlex

    url, folder = str(origin.get("url", "")), origin.get("dir_info")
    requirement = f"{_NAME}[{extra}]"
    if url.startswith("file://") and isinstance(folder, Mapping):
        from urllib.request import url2pathname

        requirement = f"{url2pathname(url[len('file://') :])}[{extra}]"
    elif url:
        requirement = f"{_NAME}[{extra}] @ {url}"
    editable = "-e " if isinstance(folder, Mapping) and folder.get("editable") else ""
    parts = prefix.replace(os.sep, "/").split("/")
    if "uv" in parts and "tools" in parts:
        return f"uv tool install {editable}{shlex.quote(requirement)}"
    if "pipx" in parts:
        return f"pipx install --force {editable}{shlex.quote(requirement)}"
    return f"pip install {editable}{shlex.quote(requirement)}"
