"""Filter for messages that must not be remembered: paused, private or excluded ones.

The cursor moves past such a message, and it is kept nowhere. A turn belongs together: an agent's
words about a message of a pause are withheld too, even after the pause.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gieok.agents.transcripts.fields import Line, read_object_field, read_text_field
from gieok.model.conversation import Message, Role, TranscriptEvent
from gieok.private import Privacy, opens_private


@dataclass(slots=True)
class Sieve:
    """Removes withheld messages from the events of one transcript, line by line in order."""

    privacy: Privacy
    #: Whether a user spoke before the current line: only the first message can make a session
    #: private.
    has_begun: bool = False
    #: The folder that the agent works in, as named by the last line that names a folder.
    folder: str = ""
    _is_turn_withheld: bool = False

    @property
    def is_needed(self) -> bool:
        """Say whether the withholding of later lines can depend on earlier lines."""
        return self.privacy.has_spans or bool(self.privacy.folders)

    def sift(
        self, line: Line, events: Sequence[TranscriptEvent], undated: Collection[str] = ()
    ) -> list[TranscriptEvent]:
        """Return the events of a line that may be kept.

        A session that this line makes private stays private durably. `undated` are the ids of
        messages that do not say themselves when they were written.
        """
        self.folder = (
            read_text_field(line.get("cwd"))
            or read_text_field(read_object_field(line.get("payload")).get("cwd"))
            or self.folder
        )
        is_outside = not self.privacy.excludes_folder(self.folder)
        return [event for event in events if self._is_kept(event, undated) and is_outside]

    def _is_kept(self, event: TranscriptEvent, undated: Collection[str]) -> bool:
        if not isinstance(event, Message):
            return True
        if event.role is Role.USER and not self.has_begun:
            self.has_begun = True
            if opens_private(event.text):
                self.privacy.begin_session(event.agent, event.session, 0.0)
        if not self.privacy.has_spans:
            return True
        at_s = 0.0 if event.id in undated else event.at.timestamp()
        is_withheld = self.privacy.is_withheld(event.agent, event.session, at_s)
        if event.role is Role.USER:
            self._is_turn_withheld = is_withheld
        return not (is_withheld or self._is_turn_withheld)
