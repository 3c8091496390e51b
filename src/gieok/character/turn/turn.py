"""Turn of a conversation: a message in, a reply streamed out, points charged, memory learned.

Durable steps in order: the points are held, the user's message is journalled, the delivered reply
is journalled, the points are settled. A crash in between leaves a hold under the id of the reply,
and the journal says whether that reply exists. For each memory, one turn runs at a time in a
process, and one process at a time writes the conversation.
"""

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from random import Random, SystemRandom
from typing import NamedTuple, Protocol

from gieok.character.accounts.points import PointsDesk, ReplyHold
from gieok.character.cards.roster import Roster
from gieok.character.facts import USER, Fact, digest
from gieok.character.memory import narrative
from gieok.character.memory.service import Bond, CharacterService, ScopeSnapshot, TurnContext
from gieok.character.messages import build_talk_message, estimate_message_tokens
from gieok.character.turn import reply_prompt
from gieok.character.turn.reply_prompt import Sheet, SpeakerNames
from gieok.character.turn.upkeep import Tending
from gieok.character.zones import find_account_zone
from gieok.errors import BadRequest, GeneratorFailed, StoreBusy, StoreFull, TooManyRequests
from gieok.model.accounts import Account, StoredCharacter
from gieok.model.conversation import Message, Role
from gieok.model.memory import Scope
from gieok.ports.accounts import Accounts
from gieok.ports.journal import FullJournal
from gieok.ports.models import ChatMessage, ChatModel, ReplyPart, ReplyParts, Sampling
from gieok.text.redact.sense import redact_said
from gieok.text.tokens import estimate_tokens

#: `source` of a reply of which only the beginning reached the user.
CUT = "cut"
#: End of a reply that the model broke off.
FAILED = "failed"
_MOST_CHARS = 200_000
_MOST_WAITING = 4
_ID_BYTES = 12
#: So many last messages say which language is spoken.
_READ_FOR_LANGUAGE = 8


class UserTurn(NamedTuple):
    """Message of a user to a character.

    With `message_id` the message may be sent again: it is answered once, and charged once.
    """

    user: str
    character: str
    text: str
    message_id: str = ""
    conversation: str = ""
    sampling: Sampling = Sampling()


class Scene(NamedTuple):
    """Participants of a turn.

    The fields are the stored character, its sheet, the bond whose memory is used, and the state
    before the turn.
    """

    stored: StoredCharacter
    sheet: Sheet
    bond: Bond
    names: SpeakerNames
    seen: ScopeSnapshot


class _Participants(NamedTuple):
    """What the accounts know of a turn: the character, and the user, None for a new one."""

    stored: StoredCharacter
    account: Account | None


class PreparedPrompt(NamedTuple):
    """Messages of a prompt, and the context from which they were made."""

    messages: tuple[ChatMessage, ...]
    context: TurnContext
    canon: str = ""

    @property
    def tokens(self) -> int:
        """Return the estimated tokens of the messages."""
        return sum(estimate_message_tokens(message.text) for message in self.messages)


class Turnstile:
    """Queue that lets the turns of one memory run one after the other; few may wait in it.

    Other processes are locked out while the conversation is written, not while a model speaks: on a
    server such a lock occupies a connection.
    """

    def __init__(self, journal: FullJournal, most_waiting: int = _MOST_WAITING) -> None:
        self._journal, self._most_waiting = journal, most_waiting
        self._guard = threading.Lock()
        self._locks: dict[Scope, threading.Lock] = {}
        self._here: Counter[Scope] = Counter()

    @contextmanager
    def turn(self, scope: Scope) -> Iterator[None]:
        """Wait for this memory's turn in this process; another thread may end the turn.

        Raises TooManyRequests.
        """
        with self._guard:
            if self._here[scope] > self._most_waiting:
                raise TooManyRequests(
                    "too many messages wait for a reply already", hint="wait for the replies"
                )
            self._here[scope] += 1
            lock = self._locks.setdefault(scope, threading.Lock())
        try:
            with lock:
                yield
        finally:
            with self._guard:
                self._here[scope] -= 1
                if not self._here[scope]:
                    del self._here[scope], self._locks[scope]

    def writing(self, scope: Scope) -> AbstractContextManager[bool]:
        """Keep other processes from writing the conversation of this memory."""
        return self._journal.exclusive(_name_turn_lock(scope))

    def step(self, scope: Scope) -> AbstractContextManager[None]:
        """Let what is read and written of this memory be one transaction, locked as `writing`."""
        return self._journal.transaction(scope, _name_turn_lock(scope))


def _name_turn_lock(scope: Scope) -> str:
    # A journal in a file keeps a lock file for each name, so names are hashed to at most 65,536.
    return f"character-turn-{digest(scope.path)[:4]}"


class Reply:
    """Reply in progress.

    Iterate over its pieces; the last piece has no text, and says how the reply ended. A caller that
    stops before the end closes the reply: the part delivered until then is kept and charged.
    """

    def __init__(
        self,
        identity: str,
        message_id: str,
        prepared: PreparedPrompt,
        parts: ReplyParts,
        ending: "ReplyEnding | None" = None,
    ) -> None:
        """Create a reply.

        `ending` journals and charges it, once; None for a reply that was given before.
        """
        self.id, self.message_id, self.prepared = identity, message_id, prepared
        self.text = self.finish = ""
        self.points = 0
        self._parts, self._ending = parts, ending
        self._is_finished = False
        self._pieces = self._deliver()

    def __iter__(self) -> Iterator[ReplyPart]:
        """Yield the pieces. Raises GeneratorFailed, without a charge, where the model breaks
        off.
        """
        return self._pieces

    @property
    def tokens(self) -> int:
        """Return the estimated tokens of the delivered text."""
        return estimate_tokens(self.text)

    def close(self) -> None:
        """Stop the reply, however far it came."""
        self._pieces.close()
        self._finish(CUT)
        self._parts.close()

    def _deliver(self) -> ReplyParts:
        try:
            for part in self._parts:
                if part.finish:
                    self._finish(part.finish)
                    yield part
                    return
                yield part
                # The text counts as delivered once the consumer asks for the next piece.
                self.text += part.text
        except GeneratorExit:
            self._finish(CUT)
            raise
        except BaseException:
            self.text = ""
            self._finish(FAILED)
            raise

    def _finish(self, finish: str) -> None:
        if not self._is_finished:
            self._is_finished, self.finish = True, finish
            if self._ending is not None:
                self.points = self._ending.finish(self.text, finish)


class ReplyModels(Protocol):
    """Models that answer for characters, opened by the settings (`home.character`)."""

    def open(self, stored: StoredCharacter) -> ChatModel:
        """Return the model of a character. Raises BadConfig, MissingExtra, GeneratorFailed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Turns of all users."""

    memory: CharacterService
    accounts: Accounts
    roster: Roster
    points: PointsDesk
    models: ReplyModels
    tending: Tending
    order: Turnstile
    sampling: Sampling = field(default_factory=Sampling)
    #: Source of the ids of messages.
    random: Random = field(default_factory=SystemRandom)
    canon_tokens: int = 800

    def close(self) -> None:
        """Finish the upkeep that is scheduled, and accept no more."""
        self.tending.close()

    def new_id(self) -> str:
        """Return the id of a new message."""
        return self.random.randbytes(_ID_BYTES).hex()

    def scene(self, user: str, character: str) -> Scene:
        """Return the participants of a turn.

        Raises NotFound, in the same words for a character of another user as for none.
        """
        return self._build_scene(user, self._find_participants(user, character))

    def _find_participants(self, user: str, character: str) -> "_Participants":
        return _Participants(*self.roster.find_with_account(user, character))

    def _build_scene(self, user: str, who: "_Participants") -> Scene:
        """Return the scene as the scope is now."""
        stored, character = who.stored, who.stored.id
        snapshot = self.memory.read_snapshot(Bond(user, character))
        names = SpeakerNames(
            reply_prompt.read_card_name(stored.card),
            _find_user_name(snapshot.held.facts) or narrative.called(snapshot.held.facts) or user,
        )
        talk = " ".join(one.message.text for one in snapshot.window.spoken[-_READ_FOR_LANGUAGE:])
        sheet = reply_prompt.build_card_sheet(stored.card, names, talk)
        return Scene(
            stored=stored,
            sheet=sheet,
            bond=Bond(
                user=user,
                character=character,
                persona=sheet.text,
                zone=find_account_zone(who.account, self.memory.zone),
                name=stored.name,
            ),
            names=names,
            seen=snapshot,
        )

    def context(self, user: str, character: str, text: str) -> PreparedPrompt:
        """Return the prompt that a model would get for a reply; nothing is journalled."""
        return self._prepare_prompt(self.scene(user, character), text)

    def begin(self, said: UserTurn) -> Reply:
        """Begin a reply, and return it once its first words have arrived.

        Raises NotFound, BadRequest, NotEnoughPoints, TooManyRequests, GeneratorFailed; nothing is
        charged where an error is raised.
        """
        self.memory.check_open()
        said = said._replace(text=clean_user_message(said.text))
        who = self._find_participants(said.user, said.character)
        scope = Bond(said.user, who.stored.id).scope
        identity, message_id = self._build_ids(scope, said.message_id)
        with ExitStack() as held:
            held.enter_context(self.order.turn(scope))
            if given := self._find_given_reply(scope, said, identity):
                self.accounts.seen(said.user, self.memory.clock.now())
                return self._repeat_reply(self._build_scene(said.user, who), said, given)
            hold = self.pay(held, said.user, who.stored.id, identity)
            with self.order.step(scope):
                # Read behind the lock, once: nobody else writes this conversation now.
                scene = self._build_scene(said.user, who)
                # Another server may have given the reply since.
                given = self._find_given_reply(scope, said, identity)
                seen = scene.seen if given else self._hear(scene, said, message_id)
            if given:
                hold.settle()
                return self._repeat_reply(scene, said, given)
            seen = seen or self.memory.learn(scene.bond)
            prepared = self._prepare_prompt(scene._replace(seen=seen), said.text)
            parts = self.ask(scene.stored, prepared.messages, said.sampling)
            ending = ReplyEnding(
                turns=self,
                scene=scene,
                identity=identity,
                session=said.conversation or said.user,
                hold=hold,
                held=held.pop_all(),
            )
            return Reply(identity, message_id, prepared, parts, ending)

    def ask(
        self, stored: StoredCharacter, messages: Sequence[ChatMessage], sampling: Sampling
    ) -> ReplyParts:
        """Return a model's reply once its first words have arrived. Raises GeneratorFailed."""
        model = self.models.open(stored)
        parts = model.stream(messages, self._limit_sampling(sampling))
        first: list[ReplyPart] = []
        while not "".join(piece.text for piece in first).strip():
            part = next(parts, ReplyPart(finish="empty"))
            if part.finish:
                raise GeneratorFailed(
                    "{model} answered nothing",
                    model=model.model,
                    hint="try again",
                    worth_retrying=True,
                )
            first.append(part)
        return _chain_reply_parts(first, parts)

    def pay(self, held: ExitStack, user: str, character: str, identity: str) -> ReplyHold:
        """Hold the points of a reply until `held` is closed; points not settled then are released.

        Raises NotEnoughPoints.
        """
        return held.enter_context(ReplyHold(self.points, user, character, identity))

    def prompt_canon(self, scene: Scene, texts: Sequence[str], budget: int) -> str:
        """Return the lorebook's entries on the last messages."""
        return reply_prompt.fill_card_macros(
            self.roster.canon.tell(scene.stored, scene.bond.user, texts, budget), scene.names
        )

    def _hear(self, scene: Scene, said: UserTurn, message_id: str) -> ScopeSnapshot | None:
        """Journal the user's message and learn from it; the greeting precedes the first message.

        None where it has to be learned from after the transaction.
        """
        session, now = said.conversation or said.user, self.memory.clock.now()
        snapshot = scene.seen
        spoken = snapshot.window.spoken
        last = spoken[-1].message if spoken else None
        if last and last.role is Role.USER and (last.text, last.session) == (said.text, session):
            return None  # the model failed on it before
        lines = [
            build_talk_message(
                identity=message_id, role=Role.USER, text=said.text, at=now, session=session
            )
        ]
        if last is None and scene.sheet.greeting and not snapshot.documents:
            greeting = build_talk_message(
                identity=f"{message_id}-greeting",
                role=Role.ASSISTANT,
                text=scene.sheet.greeting,
                at=now,
                session=session,
            )
            lines = [greeting, *lines]
        return self.memory.take_lines(scene.bond, snapshot, lines)

    def _prepare_prompt(self, scene: Scene, text: str) -> PreparedPrompt:
        recent = [entry.message.text for entry in scene.seen.window.spoken[-8:]]
        if not recent or recent[-1] != text:
            recent.append(text)
        canon = self.prompt_canon(scene, recent, self.canon_tokens)
        bond = scene.bond._replace(persona="\n\n".join(filter(None, (scene.bond.persona, canon))))
        context = self.memory.context(bond, text, scene.seen)
        told = reply_prompt.introduce_narrative(context.narrative.text, scene.sheet)
        memory = "\n\n".join(filter(None, (canon, told)))
        return PreparedPrompt(
            reply_prompt.assembled(scene.sheet, memory, context.window, text), context, canon
        )

    def _find_given_reply(self, scope: Scope, said: UserTurn, identity: str) -> Message | None:
        """Return the reply that was given before to a repeated message."""
        found = self.memory.journal.messages(scope, [identity]) if said.message_id else ()
        return found[0].message if found else None

    def _repeat_reply(self, scene: Scene, said: UserTurn, given: Message) -> Reply:
        """Return a reply that was given before."""
        prepared = self._prepare_prompt(scene, said.text)
        parts = _chain_reply_parts(
            [ReplyPart(given.text), ReplyPart(finish="stop")], _chain_reply_parts([])
        )
        return Reply(given.id, said.message_id, prepared, parts)

    def _build_ids(self, scope: Scope, message_id: str) -> tuple[str, str]:
        """Return the ids of the reply and of the user's message."""
        own = message_id or self.new_id()
        return f"{digest(f'{scope.path} {own}')}-reply", own

    def _limit_sampling(self, asked: Sampling) -> Sampling:
        temperature = self.sampling.temperature if asked.temperature is None else asked.temperature
        most = (
            min(asked.max_tokens, self.sampling.max_tokens)
            if asked.max_tokens
            else self.sampling.max_tokens
        )
        return Sampling(temperature, most, asked.stop, asked.more)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyEnding:
    """End of a reply that was paid for.

    `held` are the lock of the turn and the points, which are released when it is closed. The reply
    counts as said no earlier than `after`.
    """

    turns: Turns
    scene: Scene
    identity: str
    session: str
    hold: ReplyHold
    held: ExitStack
    after: datetime | None = None

    def finish(self, text: str, finish: str) -> int:
        """Journal the delivered text, and return the points charged.

        Without text nothing is journalled or charged.
        """
        turns, bond = self.turns, self.scene.bond
        with self.held:
            if not text.strip():
                return 0
            self._journal(self._message(text, finish))
            charged = self.hold.settle()
        turns.tending.later(bond)
        return charged

    def _journal(self, reply: Message) -> None:
        """Journal the reply; where it may be in the journal after an error, the hold is kept."""
        try:
            self.turns.memory.journal.say(self.scene.bond.scope, [reply])
        except (BadRequest, StoreBusy, StoreFull):
            raise  # nothing was journalled
        except BaseException:
            self.hold.keep()
            raise

    def _message(self, text: str, finish: str) -> Message:
        now = self.turns.memory.clock.now()
        return build_talk_message(
            identity=self.identity,
            role=Role.ASSISTANT,
            text=redact_said(text.strip()),
            at=max(now, self.after or now),
            session=self.session,
            source=CUT if finish == CUT else "",
        )


def clean_user_message(text: str) -> str:
    """Return a message without secrets. Raises BadRequest for an empty or too long message."""
    if not text.strip():
        raise BadRequest("the message is empty", hint="say something")
    if len(text) > _MOST_CHARS:
        raise BadRequest(
            "the message has {count:,} characters: at most {most:,} are read",
            count=len(text),
            most=_MOST_CHARS,
        )
    # An unpaired surrogate is not valid text, although JSON can carry it.
    return redact_said(text.encode("utf-8", "replace").decode())


def _find_user_name(facts: Sequence[Fact]) -> str:
    """Return the name that the user gave; '' for none."""
    told_names = (
        fact.object
        for fact in facts
        if fact.predicate == "name" and fact.subject == USER and fact.is_current
    )
    return next(told_names, "")


def _chain_reply_parts(first: Sequence[ReplyPart], rest: ReplyParts | None = None) -> ReplyParts:
    try:
        yield from chain(first, rest or ())
    finally:
        if rest is not None:
            rest.close()
