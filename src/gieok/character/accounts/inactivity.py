"""Retention for users who stay away: after two mails the episodes are deleted.

Facts, moments and messages stay. A mail is claimed before it is sent and confirmed after. After a
kill in between, nobody can tell whether the mail went out: it is not sent again automatically, and
nothing is deleted, until the user comes back or a person has it sent again (`resend`).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, timedelta, tzinfo
from typing import NamedTuple

from gieok.character.accounts.letters import FINAL, REMINDER, Letter
from gieok.character.accounts.return_visits import fade
from gieok.character.facts import character_of
from gieok.character.zones import find_account_zone
from gieok.errors import NotifierFailed
from gieok.model.accounts import Account
from gieok.ports.accounts import Accounts
from gieok.ports.journal import FullJournal
from gieok.ports.store import Store
from gieok.ports.system import Clock, Letters

#: Stages of an account. A stage in `…ing` is under way, or was killed there.
REMINDING, REMINDED, WARNING, WARNED, FADING, FADED = (
    "reminding",
    "reminded",
    "warning",
    "warned",
    "fading",
    "faded",
)
_CLAIMED = {REMINDED: REMINDING, WARNED: WARNING, FADED: FADING}
_LETTERS = {REMINDED: REMINDER, WARNED: FINAL}
_ADDRESS = re.compile(r"[^\s,;<>\"@]+@[^\s,;<>\"@]+")
_PAGE = 200
_INSTANT = timedelta(milliseconds=1)
#: A stage that is under way for longer was killed.
_LONGEST = timedelta(hours=1)


class Timing(NamedTuple):
    """Days without a message after which each stage comes.

    The episodes are deleted no sooner than `notice` days after the last mail.
    """

    remind: int = 60
    warn: int = 80
    fade: int = 90
    notice: int = 10


class InactivityStep(NamedTuple):
    """Step that was done for a user, or would be, with the stage that the user then is at.

    `said` is the outcome, `mail` whether a mail was sent.
    """

    user: str
    stage: str
    mail: bool
    ok: bool
    said: str = ""
    episodes: int = 0


class InactivityReport(NamedTuple):
    """Steps of a run, and the users for whom it is unknown whether a mail went out."""

    steps: tuple[InactivityStep, ...] = ()
    unsure: tuple[str, ...] = ()

    def counts(self) -> dict[str, int]:
        """Return how many users came to each stage, and for how many the mail's outcome is
        unknown.
        """
        stages = [step.stage for step in self.steps if step.ok]
        return {stage: stages.count(stage) for stage in (REMINDED, WARNED, FADED)} | {
            "unsure": len(self.unsure)
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Inactivity:
    """Retention of inactive users."""

    accounts: Accounts
    journal: FullJournal
    store: Store
    clock: Clock
    letters: Letters
    timing: Timing = field(default_factory=Timing)
    #: Zone of users who set none.
    zone: tzinfo = UTC

    def run(
        self,
        *,
        is_dry: bool = False,
        resend: str = "",
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> InactivityReport:
        """Do the step that is due for every user who stays away.

        Safe to kill, and to run twice at once.
        """
        steps: list[InactivityStep] = []
        unsure: list[str] = []
        for candidate in self._iter_away():
            if is_stopped():
                break
            account = (
                self._release_claim(candidate)
                if candidate.user == resend and not is_dry
                else candidate
            )
            if self._is_unsure(account):
                unsure.append(account.user)
            elif stage := self._find_due_stage(account):
                step = (
                    self._plan_step(account, stage) if is_dry else self._take_step(account, stage)
                )
                steps += [step] if step else []
        return InactivityReport(tuple(steps), tuple(unsure))

    def _iter_away(self) -> Iterator[Account]:
        """Yield users who have been away for longer than the first stage needs."""
        after, before = "", self.clock.now() - timedelta(days=self.timing.remind) + _INSTANT
        while page := self.accounts.accounts_unseen_since(before, after, _PAGE):
            yield from page
            after = page[-1].user

    def _find_due_stage(self, account: Account) -> str:
        """Return the stage that is due for a user now; '' for none."""
        now, last_seen = self.clock.now(), account.seen_at
        if last_seen is None:
            return ""
        days, timing = (now - last_seen).total_seconds() / 86_400, self.timing
        if account.stage == FADING:
            return FADED  # killed as it was done, which can be done again
        if account.stage in ("", REMINDED) and days >= timing.warn:
            return WARNED
        if account.stage == "" and days >= timing.remind:
            return REMINDED
        is_noticed = account.staged_at is not None and now - account.staged_at >= timedelta(
            days=timing.notice
        )
        return FADED if account.stage == WARNED and days >= timing.fade and is_noticed else ""

    def _is_unsure(self, account: Account) -> bool:
        if account.stage not in (REMINDING, WARNING):
            return False
        return account.staged_at is None or self.clock.now() - account.staged_at >= _LONGEST

    def _release_claim(self, account: Account) -> Account:
        """Release a claim whose outcome is unknown."""
        before = {REMINDING: "", WARNING: REMINDED}.get(account.stage)
        if before is None or not self.accounts.stage(account, before, self.clock.now()):
            return account
        return self.accounts.account(account.user) or account

    def _plan_step(self, account: Account, stage: str) -> InactivityStep:
        return InactivityStep(
            account.user, stage, bool(self._find_address(account)) and stage in _LETTERS, True
        )

    def _take_step(self, account: Account, stage: str) -> InactivityStep | None:
        """Claim a stage, do its step, and confirm it; return the step.

        The claim of a mail that surely failed is released. None where the user came back, or
        another process was faster.
        """
        now = self.clock.now()
        claim = account._replace(stage=_CLAIMED[stage], staged_at=now)
        is_mailed = bool(self._find_address(account)) and stage in _LETTERS
        if account.stage != claim.stage and not self.accounts.stage(account, claim.stage, now):
            return None
        try:
            episodes = self._fade(account) if stage == FADED else 0
            outcome = (
                self._send(account, _LETTERS[stage])
                if is_mailed
                else ("" if stage == FADED else "no address")
            )
        except NotifierFailed as error:
            self.accounts.stage(claim, account.stage, account.staged_at or now)
            return InactivityStep(
                user=account.user, stage=stage, mail=False, ok=False, said=str(error)
            )
        self.accounts.stage(claim, stage, self.clock.now())
        return InactivityStep(
            user=account.user, stage=stage, mail=is_mailed, ok=True, said=outcome, episodes=episodes
        )

    def _find_address(self, account: Account) -> str:
        """Return the mail address of a user; '' where there is none or it is invalid."""
        return account.mail if _ADDRESS.fullmatch(account.mail) else ""

    def _send(self, account: Account, letter: Letter) -> str:
        now = self.clock.now()
        end = max(
            (account.seen_at or now) + timedelta(days=self.timing.fade),
            now + timedelta(days=self.timing.notice),
        )
        days = (now - (account.seen_at or now)).days
        self.letters.send(
            self._find_address(account),
            letter.title_in(account.lang),
            letter.text_in(
                account.lang, days, end.astimezone(find_account_zone(account, self.zone))
            ),
        )
        return "mailed"

    def _fade(self, account: Account) -> int:
        scopes = self.journal.copied_scopes(f"user:{account.user}/character:")
        return sum(
            fade(self.journal, self.store, scope)
            for scope in scopes
            if character_of(scope, account.user)
        )
