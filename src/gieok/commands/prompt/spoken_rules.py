"""Rules that agents are told: turns in which the user states what must or must not be done."""

from collections.abc import Iterable

from gieok.home.call import Call
from gieok.hook.rules import BindingRule, read_binding_rules
from gieok.model.memory import Scope


def load_spoken_rules(
    call: Call, scopes: Iterable[Scope], *, with_silenced: bool = False
) -> list[BindingRule]:
    """Return the rules of scopes that a prompt may bring to an agent, newest first in each.

    The store is opened only where there is one. `with_silenced`: those that are off, too.
    """

    def read_lines(scope: str, key: str) -> list[str]:
        documents = call.home.store.get(Scope(scope), [key])
        return documents[0].text.split("\n") if documents else []

    return read_binding_rules(
        str(call.home.folder), map(str, scopes), read_lines, with_silenced=with_silenced
    )
