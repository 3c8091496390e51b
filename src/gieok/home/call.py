"""Call of a command: who calls, in which scope, how to talk to the person, and the home."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo

from gieok.errors import BadConfig, BadRequest
from gieok.home.caller import Caller
from gieok.home.home import Home
from gieok.model.memory import Scope
from gieok.places.project import project_scope
from gieok.places.scope import repository_scope
from gieok.places.workplace import find_workplace, project_root
from gieok.ports.system import Clock
from gieok.private import Privacy
from gieok.text.messages import translate

#: Answers by which a person agrees.
_YES = ("y", "yes", "예", "네", "ㅇ")


@dataclass(frozen=True, slots=True)
class Call:
    """Call of a command: the home, the caller, the scope, and how to talk to the person.

    `also` are scopes that are read beside `scope`. `say` shows a line of progress, or nothing;
    `tell` writes a line that stays, in `lang`; `ask` asks a person one line and is None where
    there is no terminal.
    """

    home: Home
    caller: Caller
    scope: Scope
    also: tuple[Scope, ...]
    #: Whether the caller named the scope; else it follows from the folder.
    is_scope_named: bool
    #: Settings that are wrong and were left out; empty in operations that do not run then.
    troubles: Sequence[BadConfig]
    lang: str
    zone: tzinfo
    clock: Clock
    say: Callable[[str], None]
    tell: Callable[[str], None]
    ask: Callable[[str], str] | None
    #: What is withheld from memory: a pause, private sessions, exclusions.
    privacy: Privacy = field(default_factory=Privacy)

    def words(self, template: str, about: str = "", plural: str = "", **values: object) -> str:
        """Return a message in the language of the call; see `gieok.text.messages`."""
        return translate(template, self.lang, values, about=about, plural=plural)

    def agrees(self, shown: Sequence[str], question: str, hint: str) -> bool:
        """Show a person lines and ask them whether to go on.

        Raises BadRequest where there is no terminal.
        """
        if self.ask is None:
            raise BadRequest("nobody can be asked: there is no terminal", hint=hint)
        self.tell("\n".join(shown))
        return self.ask(question).strip().lower() in _YES

    def progress(self, what: str, total: int = 0) -> Callable[[int], None]:
        """Return a progress function: it shows the amount done, the total if known, and the time
        left.

        `what` is counted; it is shown in the language of the call.
        """
        from gieok.home.steps import Steps  # only what takes a while needs it

        return Steps(self.say, self.clock.now, self.lang, self.words(what), total)

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Return every scope to read: that of the call, then those of `also`."""
        return (self.scope, *self.also)

    @property
    def searched(self) -> tuple[Scope, ...]:
        """Return every scope to search: those to read, and the one of the repository's own memory.

        The repository's memory is only for callers that ask for it, and injected nowhere: others
        write it, and every pull changes it.
        """
        root = "" if self.is_scope_named else find_workplace(str(self.caller.folder))
        brought = (Scope(repository_scope(project_scope(root))),) if root else ()
        return (*self.scopes, *brought)

    @property
    def project(self) -> str:
        """Return the root of the project whose memory the call reads.

        '' for none, or where the caller named a scope.
        """
        return "" if self.is_scope_named else project_root(str(self.caller.folder))
