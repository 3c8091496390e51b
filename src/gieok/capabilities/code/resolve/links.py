"""Which languages are linked together, and how their imports are read."""

import json
from collections.abc import Sequence

from gieok.capabilities.code.model.facts import Facts
from gieok.capabilities.code.resolve.linking import JavaScriptLinker, Linker, PackageLinker, PythonLinker, RustLinker
from gieok.capabilities.code.resolve.modules import Modules

#: Languages that may call each other share a family.
FAMILIES = {
    "python": "python", "javascript": "javascript", "typescript": "javascript", "tsx": "javascript", "manifest": "javascript",
    "java": "java", "go": "go", "rust": "rust",
}  # fmt: skip


def linker_for(family: str, files: Sequence[tuple[str, Facts]]) -> Linker:
    """Return what reads the imports of a family of languages."""
    if family == "javascript":
        manifests = {
            path: json.loads(facts.package) for path, facts in files if facts.language == "manifest" and facts.package
        }
        return JavaScriptLinker([path for path, _ in files], manifests)
    if family == "java":
        return PackageLinker({path: facts.package for path, facts in files}, ".")
    if family == "go":
        return PackageLinker({path: path.rpartition("/")[0] for path, _ in files}, "/")
    if family == "rust":
        return RustLinker(path for path, _ in files)
    return PythonLinker(Modules(path for path, _ in files))
