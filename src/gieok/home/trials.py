"""Tests the models that settings choose, each the way it is used: for `doctor` and `status`."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from gieok.errors import GeneratorFailed
from gieok.flow.distil import MessageSpan
from gieok.home import models
from gieok.home.home import Home
from gieok.memory.observer import rules
from gieok.memory.observer.known_statements import Known
from gieok.memory.observer.observer import ModelObserver
from gieok.model.conversation import Journalled, Message, Role
from gieok.model.memory import Scope
from gieok.ports.journal import Ledger
from gieok.ports.models import ChatMessage, Prompt, Sampling
from gieok.settings.values import Settings
from gieok.text.tokens import estimate_tokens

#: A sentence that rules and models both find worth keeping, by meaning and by words alone.
_SENTENCE = "From now on, we settle payments on Tuesdays."
_WORD = Prompt(
    system="Answer with one word.",
    text="Say ok.",
    temperature=0.0,
    max_output_tokens=16,
    thinking_tokens=0,
)
#: How long a model may take, all tries together: a local model may have to be loaded first.
_TIMEOUT = "doctor.timeout_s"
_HINT = "`gieok config show` shows the model's settings"


class ModelTrial(NamedTuple):
    """Trial of a configured model, which does its work once.

    `prefix` begins the settings of the model's address and key. `is_paid`: the model is asked
    beyond this machine, or by a subscription.
    """

    setting: str
    model: str
    prefix: str
    is_paid: bool


def list_model_trials(home: Home) -> list[ModelTrial]:
    """Return a trial for the observer, then for each other setting that names another model."""
    settings = home.settings
    prefixes = {"observe.model": "observe.", **dict(_iter_other_models(settings))}
    if settings.text("character.model") != "scripted":
        prefixes["character.model"] = "character."
    return [
        ModelTrial(
            setting=setting,
            model=settings.text(setting),
            prefix=prefix,
            is_paid=models.costs(settings, prefix, settings.text(setting)),
        )
        for setting, prefix in prefixes.items()
    ]


def try_model(home: Home, trial: ModelTrial) -> str:
    """Let a model do its work once; return the observation.

    Raises GeneratorFailed, BadConfig, MissingExtra.
    """
    if trial.setting == "observe.model":
        return observe_sentence(home)
    if trial.setting == "character.model":
        return _try_chat_model(home, trial.model)
    return _ask_word(home, trial.setting, trial.prefix, trial.model)


def _iter_other_models(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield the settings that name other language models, with the prefix of address and key."""
    if settings.text("reflect.model") not in ("", "rules"):
        yield "reflect.model", "reflect."
    if settings.text("code.model"):
        yield "code.model", "code."
    if settings.text("code.upkeep_model"):
        yield "code.upkeep_model", models.upkeep_prefix(settings)
    if models.memory_model(settings) and settings.text("character.memory_model"):
        yield "character.memory_model", models.memory_prefix(settings)


def observe_sentence(home: Home, ledger: Ledger | None = None) -> str:
    """Let the configured observer observe one sentence; only the cost is recorded.

    Raises GeneratorFailed, BadConfig, MissingExtra.
    """
    settings, now = home.settings, home.clock.now()
    description, model = models.describe_observer(home), settings.text("observe.model")
    message = Message(
        id="doctor",
        role=Role.USER,
        text=_SENTENCE,
        at=now,
        session="doctor",
        agent="gieok",
        tokens=estimate_tokens(_SENTENCE),
    )
    span = MessageSpan(Scope("gieok:doctor"), 0, 1, (Journalled(1, message),))
    if model == "rules":
        judge = rules.StatementJudge(home.open_reader)
        observer = rules.RulesObserver(home.zone, judge, rules.GivenContext())
        observed = observer.observe(span)
    else:
        generator = models.generator(settings, "observe.", model)
        asker = models.asker(home, "observer", generator, ledger=ledger)
        once = replace(asker, delays_s=(), timeout_s=settings.number(_TIMEOUT))
        temperature = settings.number("observe.temperature")
        model_observer = ModelObserver(
            once, home.zone, lambda messages, before: Known(), temperature
        )
        observed = model_observer.observe(span)
    if not observed.observations:
        raise GeneratorFailed(
            "{model} keeps nothing of a sentence that is worth keeping",
            model=model,
            hint="take another model",
        )
    return f"{description}; it observed a sentence"


def _ask_word(home: Home, setting: str, prefix: str, model: str) -> str:
    """Ask a model for a word, once and within the tokens of the day.

    Raises GeneratorFailed, BadConfig, MissingExtra.
    """
    models.verify_model_setting(home, setting, prefix)
    asker = models.asker(home, "doctor", models.generator(home.settings, prefix, model))
    replace(asker, delays_s=(), timeout_s=home.settings.number(_TIMEOUT)).ask(
        _WORD, _check_spoken_answer
    )
    return f"{model} answered"


def _check_spoken_answer(answer: str) -> str:
    if not answer.strip():
        raise GeneratorFailed("it answered nothing", hint=_HINT)
    return answer


def _try_chat_model(home: Home, model: str) -> str:
    """Let the characters' model say a word. Raises GeneratorFailed, BadConfig, MissingExtra."""
    timeout_s, began = home.settings.number(_TIMEOUT), home.clock.now()
    parts = models.open_chat_model(home.settings, model, timeout_s=timeout_s).stream(
        [ChatMessage("system", _WORD.system), ChatMessage("user", _WORD.text)],
        Sampling(0.0, _WORD.max_output_tokens),
    )
    reply = ""
    for part in parts:
        reply += part.text
        if (home.clock.now() - began).total_seconds() > timeout_s:
            raise GeneratorFailed(
                "{model} did not answer within {timeout_s:g} s", model=model, timeout_s=timeout_s
            )
    _check_spoken_answer(reply)
    return f"{model} answered"
