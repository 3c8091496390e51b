"""Failures that are retried later: an incident is notified to a person once."""

from datetime import datetime, timedelta

from gieok.flow.notices import Notices
from gieok.model.conversation import Incident
from gieok.ports.journal import Ledger
from gieok.ports.system import Clock
from gieok.text.redact import redact

#: A next try farther away than this was scheduled before the clock was set back.
_FARTHEST = timedelta(days=2)


class Incidents:
    """The incidents of a journal."""

    def __init__(self, ledger: Ledger, clock: Clock, notices: Notices) -> None:
        self._ledger = ledger
        self._clock = clock
        self._notices = notices

    def find(self, name: str) -> Incident | None:
        """Return the incident of this name."""
        return next(
            (incident for incident in self._ledger.incidents() if incident.name == name), None
        )

    def waits(self, name: str) -> bool:
        """Say whether it is too early to try again after the incident of this name."""
        incident, now = self.find(name), self._clock.now()
        return incident is not None and now < incident.next_try < now + _FARTHEST

    def failed(
        self,
        name: str,
        error: Exception,
        title: str,
        *,
        first: timedelta,
        longest: timedelta,
    ) -> None:
        """Record a failure, and notify the person when the incident is new."""
        if self.record(name, error, first=first, longest=longest):
            self.tell(title, error)

    def record(
        self,
        name: str,
        error: Exception,
        *,
        first: timedelta,
        longest: timedelta,
        due: datetime | None = None,
    ) -> bool:
        """Record a failure; return whether the incident is new.

        The next try is at `due`, else after `first`, then after twice that time, and so on up to
        `longest`.
        """
        now, before = self._clock.now(), self.find(name)
        tries = before.tries + 1 if before else 1
        due = due or now + min(first * 2 ** min(tries - 1, 10), longest)
        incident = Incident(
            name=name,
            detail=redact(str(error)),
            since=before.since if before else now,
            tries=tries,
            next_try=due,
        )
        return self._ledger.raise_incident(incident)

    def tell(self, title: str, error: Exception, facts: str = "") -> None:
        """Notify the person; `facts`, in the person's language, stand behind the reason."""
        hint = getattr(error, "hint", "")
        reason = f"{error} ({hint})" if hint else str(error)
        # On one line: the line that a host writes of a notice is known by its mark.
        self._notices.notify(title, f"{reason} [{facts}]" if facts else reason)

    def resolved(self, name: str) -> None:
        """Record that what failed under this name works again."""
        if self.find(name):
            self._ledger.resolve_incident(name)
