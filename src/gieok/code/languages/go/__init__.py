"""Go."""

from gieok.code.languages.go.modules import GoLinker, GoManifest
from gieok.code.languages.go.reader import GoReader
from gieok.code.languages.language import Family
from gieok.code.languages.tree import TreeLanguage

_FAMILY = Family("go", GoLinker)

LANGUAGES = (
    TreeLanguage(
        name="go",
        reader=GoReader,
        extensions=(".go",),
        family=_FAMILY,
        grammar="tree_sitter_go:language",
        tests=r".*_test",
        reexports=("doc.go",),
    ),
    GoManifest(
        name="go.mod",
        files=("go.mod", "go.work"),
        family=_FAMILY,
        is_source=False,
        is_searched=False,
    ),
)
