"""What a release is made of, as a CycloneDX 1.6 document (https://cyclonedx.org/docs/1.6/json/).

    PYTHON scripts/sbom.py gieok

Prints what is installed in PYTHON's environment beside pip: each package with its version, its
licence as its own metadata states it, and what it requires of the others. Standard library alone,
so that it runs in a bare environment.
"""

import json
import re
import sys
from importlib.metadata import Distribution, distributions
from typing import Any

_NOT_PART = {"pip", "setuptools", "wheel"}


def describe_environment(root: str) -> dict[str, Any]:
    """Return the document of an environment whose application is the package `root`."""
    found = {_normalise(one.name): one for one in distributions()}
    parts = {name: one for name, one in sorted(found.items()) if name not in _NOT_PART}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _describe_package(parts[root], "application")},
        "components": [
            _describe_package(one, "library") for name, one in parts.items() if name != root
        ],
        "dependencies": [
            {"ref": _build_purl(one), "dependsOn": _list_requirements(one, parts)}
            for one in parts.values()
        ],
    }


def _describe_package(package: Distribution, kind: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "type": kind,
        "name": package.name,
        "version": package.version,
        "purl": _build_purl(package),
        "bom-ref": _build_purl(package),
    }
    if expression := package.metadata.get("License-Expression"):
        row["licenses"] = [{"expression": expression}]
    elif name := _find_licence_name(package):
        row["licenses"] = [{"license": {"name": name}}]
    return row


def _find_licence_name(package: Distribution) -> str:
    classifiers = package.metadata.get_all("Classifier") or []
    named = [line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License ::")]
    stated = (package.metadata.get("License") or "").strip()
    return " and ".join(named) or stated.partition("\n")[0]


def _list_requirements(package: Distribution, parts: dict[str, Distribution]) -> list[str]:
    """List what a package requires of those that are installed."""
    names = {
        _normalise(re.split(r"[\s;<>=!~\[(]", requirement, maxsplit=1)[0])
        for requirement in package.requires or []
    }
    return sorted(_build_purl(parts[name]) for name in names if name in parts)


def _build_purl(package: Distribution) -> str:
    return f"pkg:pypi/{_normalise(package.name)}@{package.version}"


def _normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    print(json.dumps(describe_environment(sys.argv[1]), indent=1))
