"""Words that say whose memory something went into."""

from gieok.commands.scope_names import name_scope
from gieok.memory.talk.turns import project_of
from gieok.model.memory import Scope
from gieok.places.scope import USER_SCOPE
from gieok.text.messages import Words


def describe_ownership(scope: str) -> Words:
    """Return whose memory a scope is: a project's, the user's own, or another by its name."""
    name = name_scope(scope)
    if project_of(Scope(scope)):
        return Words.of("in the project {name}, and in no other", name=name)
    return name if scope == USER_SCOPE else Words.of("in {scope}", scope=name)


def describe_way_out(scope: str, handle: str) -> Words | None:
    """Return how a memory of a project becomes the user's own; None where it is no project's.

    Who began in the folder where Gieok was unpacked has a project there without having meant one.
    """
    if not project_of(Scope(scope)):
        return None
    return Words.of(
        "for all projects: `gieok transfer {handle} --to {USER_SCOPE}`",
        handle=handle,
        USER_SCOPE=USER_SCOPE,
    )
