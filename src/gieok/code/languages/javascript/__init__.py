"""JavaScript, TypeScript, and the manifests that resolve imports by package name."""

from gieok.code.languages.javascript.components import ComponentLanguage
from gieok.code.languages.javascript.imports import JavaScriptLinker, JavaScriptManifest
from gieok.code.languages.javascript.reader import JavaScriptReader
from gieok.code.languages.language import Family
from gieok.code.languages.tree import TreeLanguage

_FAMILY = Family("javascript", JavaScriptLinker)
_TESTS = r"(.*[.\-_])?(test|spec)s?|.*\.(cy|e2e|bench)|test-.*"

LANGUAGES = (
    TreeLanguage(
        name="javascript",
        reader=JavaScriptReader,
        extensions=(".js", ".jsx", ".mjs", ".cjs"),
        family=_FAMILY,
        grammar="tree_sitter_javascript:language",
        tests=_TESTS,
        reexports=("index.ts", "index.js"),
    ),
    TreeLanguage(
        name="typescript",
        reader=JavaScriptReader,
        extensions=(".ts", ".mts", ".cts"),
        family=_FAMILY,
        grammar="tree_sitter_typescript:language_typescript",
        tests=_TESTS,
    ),
    TreeLanguage(
        name="tsx",
        reader=JavaScriptReader,
        extensions=(".tsx",),
        family=_FAMILY,
        grammar="tree_sitter_typescript:language_tsx",
        tests=_TESTS,
    ),
    ComponentLanguage(
        name="vue",
        reader=JavaScriptReader,
        extensions=(".vue",),
        family=_FAMILY,
        grammar="tree_sitter_typescript:language_typescript",
        element_grammar="tree_sitter_typescript:language_tsx",
        tests=_TESTS,
    ),
    JavaScriptManifest(
        name="manifest",
        files=("package.json", "tsconfig.json", "tsconfig.base.json", "jsconfig.json"),
        family=_FAMILY,
        is_source=False,
        is_searched=False,
    ),
)
