"""Updates episodes as their messages change, and as users edit, delete or restore them."""

from collections.abc import Callable, Iterable, Sequence

from gieok.character.facts import EPISODE, Episode, episode_of
from gieok.character.memory import decisions
from gieok.character.memory.decisions import EDIT, REFUSE, RESTORE, UserDecision
from gieok.character.memory.unread_talk import UnreadTalk
from gieok.model.conversation import Journalled
from gieok.model.memory import Scope
from gieok.ports.journal import FullJournal

#: Makes the episode of a span without quoting certain messages; None where nothing is left to tell.
Summarise = Callable[[Sequence[Journalled], frozenset[str]], Episode | None]


def retold(
    talk: UnreadTalk, told: Sequence[Episode], unquoted: frozenset[str], summarise: Summarise
) -> list[Episode]:
    """Return the episodes, with those made anew whose messages changed.

    An episode in the user's own words stays, and is marked as stale.
    """
    spoken_by_id = {one.message.id: one for one in decisions.select_spoken_messages(talk.entries)}
    episodes: list[Episode] = []
    for one in told:
        if not talk.touched & {*one.message_ids}:
            episodes.append(one)
            continue
        span = [spoken_by_id[i] for i in one.message_ids if i in spoken_by_id]
        ids = tuple(message.message.id for message in span)
        new_episode = summarise(span, unquoted)
        if one.is_edited:
            kept = one._replace(message_ids=ids, messages=len(ids), is_stale=True)
            moments = new_episode.key_moments if new_episode else ()
            episodes += [kept._replace(key_moments=moments)] if ids else []
        elif new_episode:
            episodes.append(
                new_episode._replace(
                    message_ids=ids, messages=len(ids), is_important=one.is_important
                )
            )
    return episodes


def decided(
    told: Sequence[Episode], made: Iterable[UserDecision], journal: FullJournal, scope: Scope
) -> list[Episode]:
    """Return the episodes after decisions of the user; the journal has their former versions."""
    held = {one.key: one for one in told}
    for one in made:
        if one.do == EDIT and (old := held.get(one.key)):
            held[one.key] = _apply_episode_edit(old, one)
        elif one.do == REFUSE:
            held.pop(one.key, None)
        elif one.do == RESTORE and f":{EPISODE}:" in one.key:
            before = [
                document
                for _, document in journal.replaced(scope)
                if (document.key, document.content_hash) == (one.key, one.version)
            ]
            held |= {one.key: episode_of(before[-1])} if before else {}
    return list(held.values())


def _apply_episode_edit(episode: Episode, decision: UserDecision) -> Episode:
    change = decision.change
    return episode._replace(
        text=episode.text if change.text is None else change.text.strip(),
        topics=episode.topics if change.topics is None else change.topics,
        is_edited=episode.is_edited or change.text is not None or change.topics is not None,
        is_stale=episode.is_stale and change.text is None,
        is_important=episode.is_important if change.is_important is None else change.is_important,
    )
