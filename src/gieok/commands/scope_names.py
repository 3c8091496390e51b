"""Names of scopes for people: a project by its folder's name, the user's own scope as theirs."""

from collections import Counter
from collections.abc import Iterable

from gieok.memory.talk.turns import project_of
from gieok.model.memory import Scope
from gieok.places.scope import USER_SCOPE, is_brought
from gieok.text.messages import Words


def name_scope(scope: Scope | str) -> Words:
    """Return the name of a scope: `shop`, `yours, in all projects`, `agent mina`."""
    path = str(scope)
    if path == USER_SCOPE:
        return Words("yours, in all projects")
    name = project_of(Scope(path.rpartition("/")[0] if is_brought(path) else path))
    if name and is_brought(path):
        return Words.of("{name}, from its repository", name=name)
    if name:
        return Words.of("{name}", name=name)
    kind, _, rest = path.partition(":")
    return Words.of("agent {name}", name=rest) if kind == "agent" else Words.of("{name}", name=path)


def name_scope_by_path(scope: Scope | str) -> Words:
    """Return the name of a scope with the path that `--scope` takes behind it."""
    name, path = name_scope(scope), str(scope)
    return name if name.en == path else Words.of("{name} ({scope})", name=name, scope=path)


def name_scopes(paths: Iterable[str], lang: str) -> dict[str, str]:
    """Return path → name in a language; scopes with the same name are told apart by their paths."""
    names = {path: name_scope(path).say(lang) for path in paths}
    count = Counter(names.values())
    return {path: name if count[name] == 1 else f"{name} ({path})" for path, name in names.items()}
