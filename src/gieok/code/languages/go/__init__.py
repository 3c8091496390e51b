"""Go."""

from collections import defaultdict
from collections.abc import Sequence

from gieok.code.languages.go import reader
from gieok.code.languages.go.modules import GoLinker, read_go_manifest
from gieok.code.languages.language import Family, Language
from gieok.code.model.facts import Facts, Op
from gieok.code.resolve.hierarchy import Hierarchy
from gieok.code.resolve.import_links import LinkRules


def _relate_interfaces(hierarchy: Hierarchy) -> None:
    """Make each type a subclass of the interfaces whose methods it has all.

    Such methods are named `<method(types)types>`.
    """
    attributes = hierarchy.attributes
    interfaces = {
        owner: methods
        for owner, names in enumerate(attributes)
        if (methods := [name[1:-1] for name in names if name[:1] == "<"])
    }
    by_method: dict[str, set[int]] = defaultdict(set)
    for owner in range(len(attributes)) if interfaces else ():
        for base in hierarchy.linear(owner) if owner not in interfaces else ():
            for name in attributes[base]:
                by_method[name].add(owner)
    for owner, methods in interfaces.items():
        for below in sorted(set.intersection(*(by_method[name] for name in methods))):
            hierarchy.inherit(below, owner, len(hierarchy.bases(below)))


def _build_go_rules(files: Sequence[tuple[str, Facts]]) -> LinkRules:
    manifests = {
        path: facts.package for path, facts in files if facts.language == "go.mod" and facts.package
    }
    sources = [(path, facts) for path, facts in files if facts.language != "go.mod"]
    imported = (
        (path, str(row[2])) for path, facts in sources for row in facts.top if row[0] == Op.IMPORT
    )
    return LinkRules(
        GoLinker([path for path, _ in sources], manifests, imported), relate=_relate_interfaces
    )


_FAMILY = Family("go", _build_go_rules)

LANGUAGES = (
    Language(
        "go",
        reader.read,
        (".go",),
        family=_FAMILY,
        grammar="tree_sitter_go:language",
        tests=r".*_test",
        reexports=("doc.go",),
    ),
    Language(
        "go.mod",
        read_go_manifest,
        files=("go.mod", "go.work"),
        family=_FAMILY,
        is_source=False,
        is_searched=False,
    ),
)
