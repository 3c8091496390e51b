"""Words that say whose memory something went into."""

from gieok.memory.talk.turns import project_of
from gieok.model.memory import Scope
from gieok.places.scope import USER_SCOPE
from gieok.text.messages import Words


def describe_ownership(scope: str) -> Words:
    """Return whose memory a scope is: a project's, the user's own, or another by its name."""
    if name := project_of(Scope(scope)):
        return Words.of("in the project {name}, and in no other", name=name)
    if scope == USER_SCOPE:
        return Words("yours, in all projects")
    return Words.of("in {scope}", scope=scope)
