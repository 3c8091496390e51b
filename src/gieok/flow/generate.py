"""Calls to a language model: redacted prompt, daily token budget, retries and metering.

`accept` validates the answer; a rejected answer is asked for once more. An answer that reached its
token limit is asked for once more with twice the limit, and a cut answer is never accepted: the
missing part cannot be seen in the answer.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from typing import TypeVar

from gieok.errors import AnswerCut, BudgetReached, DegenerateOutput, GeneratorFailed
from gieok.flow import service
from gieok.model.conversation import Usage
from gieok.ports.journal import Ledger
from gieok.ports.models import Generated, Generator, Prompt
from gieok.ports.system import Clock
from gieok.text.echo import MARKER
from gieok.text.redact import redact
from gieok.text.tokens import estimate_tokens

_T = TypeVar("_T")

#: Waits before another try, in seconds.
DELAYS_S = (2.0, 4.0, 8.0)


@dataclass(slots=True)
class Meter:
    """Counter of the tokens of one task; the ledger counts the tokens of the whole role."""

    tokens: int = 0

    def add(self, usage: Usage) -> None:
        """Add the usage of a call."""
        self.tokens += usage.input_tokens + usage.output_tokens


@dataclass(slots=True)
class _Question:
    """A question that is being asked: since when, and the calls that were made for it."""

    at: datetime
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Asker:
    """One role that asks a model. `wait` sleeps, and ends early when the process stops."""

    role: str
    generator: Generator
    ledger: Ledger
    clock: Clock
    zone: tzinfo
    wait: Callable[[float], None]
    daily_tokens: int
    delays_s: tuple[float, ...] = DELAYS_S
    #: Time limit of all tries of one question together; 0: each try may take as long as the model
    #: allows.
    timeout_s: float = 0.0
    meter: Meter = field(default_factory=Meter)

    def ask(self, prompt: Prompt, accept: Callable[[str], _T]) -> _T:
        """Return the result of `accept`, which raises DegenerateOutput for a useless answer.

        Raises GeneratorFailed, DegenerateOutput, AnswerCut, BudgetReached.
        """
        asked = _Question(at=self.clock.now())
        prompt = prompt._replace(
            system=f"{MARKER}\n{redact(prompt.system)}", text=redact(prompt.text)
        )
        try:
            try:
                return accept(self._whole(prompt, asked))
            except DegenerateOutput:
                return accept(self._whole(prompt, asked))
        except GeneratorFailed as error:
            error.tries = asked.calls
            raise

    def _whole(self, prompt: Prompt, asked: "_Question") -> str:
        answer = self._try(prompt, asked)
        if not answer.is_cut:
            return answer.text
        roomier = prompt._replace(
            max_output_tokens=2 * prompt.max_output_tokens,
            thinking_tokens=2 * prompt.thinking_tokens,
        )
        answer = self._try(roomier, asked)
        if answer.is_cut:
            used = answer.output_tokens or estimate_tokens(answer.text)
            raise AnswerCut(
                "{model} was cut off after {used:,} tokens of its answer",
                model=self.generator.model,
                used=used,
            )
        return answer.text

    def _try(self, prompt: Prompt, asked: "_Question") -> Generated:
        for delay_s in (*self.delays_s, None):
            self._check_budget(prompt)
            began = self.clock.now()
            try:
                limited = self._limit_time(prompt, asked.at)
                asked.calls += 1
                answer = self.generator.generate(limited)
            except GeneratorFailed as error:
                self._charge(Usage(calls=1, failures=1, seconds=self._since(began)))
                if not error.worth_retrying or delay_s is None:
                    raise
                self.wait(delay_s)
            else:
                self._charge(_measure_usage(prompt, answer, self._since(began)))
                return answer
        raise AssertionError("unreachable")

    def _limit_time(self, prompt: Prompt, asked_at: datetime) -> Prompt:
        """Return the prompt with the time that remains of the limit for all tries.

        Raises GeneratorFailed when no time remains.
        """
        if not self.timeout_s:
            return prompt
        left_s = self.timeout_s - self._since(asked_at)
        if left_s <= 0:
            raise GeneratorFailed(
                "{model} did not answer within {timeout_s:g} s",
                model=self.generator.model,
                timeout_s=self.timeout_s,
            )
        # Rounded to tenths of a second, for the person who reads the error.
        return prompt._replace(timeout_s=max(round(left_s, 1), 0.1))

    def _check_budget(self, prompt: Prompt) -> None:
        spent = spent_tokens(self.ledger, self._today())
        room = prompt.max_output_tokens + prompt.thinking_tokens
        needed = estimate_tokens(prompt.system) + estimate_tokens(prompt.text) + room
        if spent + needed > self.daily_tokens:
            raise BudgetReached(
                "{spent:,} of {most:,} model tokens are spent today, {needed:,} more are needed",
                spent=spent,
                most=self.daily_tokens,
                needed=needed,
            )

    def _charge(self, usage: Usage) -> None:
        self.ledger.charge(self._today(), self.role, usage)
        self.meter.add(usage)

    def _today(self) -> date:
        return self.clock.now().astimezone(self.zone).date()

    def _since(self, began: datetime) -> float:
        return max((self.clock.now() - began) / timedelta(seconds=1), 0.0)


def spent_tokens(ledger: Ledger, today: date) -> int:
    """Return the tokens that language models have used today, in all roles."""
    used = ledger.usage(today).items()
    return sum(
        u.input_tokens + u.output_tokens
        for (day, role), u in used
        if day == today and role not in service.ROLES
    )


def _measure_usage(prompt: Prompt, answer: Generated, seconds: float) -> Usage:
    """Return the usage; tokens that the provider did not count are estimated."""
    return Usage(
        calls=1,
        input_tokens=answer.input_tokens
        or estimate_tokens(prompt.system) + estimate_tokens(prompt.text),
        output_tokens=answer.output_tokens or estimate_tokens(answer.text),
        seconds=seconds,
        reported_dollars=answer.dollars,
    )
