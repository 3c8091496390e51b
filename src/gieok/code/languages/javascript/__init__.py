"""JavaScript, TypeScript, and the manifests that resolve imports by package name."""

import json
from collections.abc import Sequence

from gieok.code.languages.javascript import reader
from gieok.code.languages.javascript.imports import JavaScriptLinker, read_javascript_manifest
from gieok.code.languages.javascript.natives import NATIVES
from gieok.code.languages.language import Family, Language
from gieok.code.model.facts import Facts
from gieok.code.resolve.import_links import LinkRules


def _build_javascript_rules(files: Sequence[tuple[str, Facts]]) -> LinkRules:
    manifests = {
        path: json.loads(f.package) for path, f in files if f.language == "manifest" and f.package
    }
    return LinkRules(JavaScriptLinker([path for path, _ in files], manifests), NATIVES)


_FAMILY = Family("javascript", _build_javascript_rules)
_TESTS = r"(.*[.\-_])?(test|spec)s?|.*\.(cy|e2e|bench)|test-.*"

LANGUAGES = (
    Language(
        "javascript",
        reader.read,
        (".js", ".jsx", ".mjs", ".cjs"),
        family=_FAMILY,
        grammar="tree_sitter_javascript:language",
        tests=_TESTS,
        reexports=("index.ts", "index.js"),
    ),
    Language(
        "typescript",
        reader.read,
        (".ts", ".mts", ".cts"),
        family=_FAMILY,
        grammar="tree_sitter_typescript:language_typescript",
        tests=_TESTS,
    ),
    Language(
        "tsx",
        reader.read,
        (".tsx",),
        family=_FAMILY,
        grammar="tree_sitter_typescript:language_tsx",
        tests=_TESTS,
    ),
    Language(
        "manifest",
        read_javascript_manifest,
        files=("package.json", "tsconfig.json", "tsconfig.base.json", "jsconfig.json"),
        family=_FAMILY,
        is_source=False,
        is_searched=False,
    ),
)
