"""Tests the models that settings choose, each the way it is used: for `doctor` and `status`."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from gieok.app import code, embedders, models
from gieok.app.wiring import Wiring
from gieok.config import Settings
from gieok.errors import GeneratorFailed
from gieok.flow.distil import MessageSpan
from gieok.memory.observer import rules
from gieok.memory.observer.known_statements import Known
from gieok.memory.observer.observer import ModelObserver
from gieok.model.conversation import Journalled, Message, Role
from gieok.model.memory import Scope
from gieok.ops.context import ModelTrial
from gieok.ports.journal import Ledger
from gieok.ports.models import ChatMessage, Prompt, Sampling
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


def trials(wiring: Wiring) -> Iterator[ModelTrial]:
    """Yield a trial for the observer, then for each other setting that names another model."""
    settings = wiring.settings
    model = settings.text("observe.model")
    yield ModelTrial(
        "observe.model",
        model,
        models.costs(settings, "observe.", model),
        partial(observe_sentence, wiring),
    )
    for setting, prefix in _iter_other_models(settings):
        model = settings.text(setting)
        attempt = partial(_ask_word, wiring, setting, prefix, model)
        yield ModelTrial(setting, model, models.costs(settings, prefix, model), attempt)
    if (model := settings.text("character.model")) != "scripted":
        yield ModelTrial(
            "character.model",
            model,
            models.costs(settings, "character.", model),
            partial(_try_chat_model, wiring, model),
        )


def _iter_other_models(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield the settings that name other language models, with the prefix of address and key."""
    if settings.text("reflect.model") not in ("", "rules"):
        yield "reflect.model", "reflect."
    if settings.text("code.model"):
        yield "code.model", "code."
    if settings.text("code.upkeep_model"):
        yield "code.upkeep_model", code.upkeep_prefix(settings)
    if models.memory_model(settings) and settings.text("character.memory_model"):
        yield "character.memory_model", models.memory_prefix(settings)


def observe_sentence(wiring: Wiring, ledger: Ledger | None = None) -> str:
    """Let the configured observer observe one sentence; only the cost is recorded.

    Raises GeneratorFailed, BadConfig, MissingExtra.
    """
    settings, now = wiring.settings, wiring.clock.now()
    description, model = models.observer(wiring), settings.text("observe.model")
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
        judge = rules.StatementJudge(partial(embedders.open_embedder, wiring))
        observed = rules.RulesObserver(wiring.zone, judge, lambda before: "", tuple)(span)
    else:
        generator = models.generator(settings, "observe.", model)
        asker = models.asker(wiring, "observer", generator, ledger=ledger)
        once = replace(asker, delays_s=(), timeout_s=settings.number(_TIMEOUT))
        temperature = settings.number("observe.temperature")
        observed = ModelObserver(once, wiring.zone, lambda messages, before: Known(), temperature)(
            span
        )
    if not observed.observations:
        raise GeneratorFailed(
            f"{model} keeps nothing of a sentence that is worth keeping", hint="take another model"
        )
    return f"{description}; it observed a sentence"


def _ask_word(wiring: Wiring, setting: str, prefix: str, model: str) -> str:
    """Ask a model for a word, once and within the tokens of the day.

    Raises GeneratorFailed, BadConfig, MissingExtra.
    """
    models.verify_model_setting(wiring, setting, prefix)
    asker = models.asker(wiring, "doctor", models.generator(wiring.settings, prefix, model))
    replace(asker, delays_s=(), timeout_s=wiring.settings.number(_TIMEOUT)).ask(
        _WORD, _check_spoken_answer
    )
    return f"{model} answered"


def _check_spoken_answer(answer: str) -> str:
    if not answer.strip():
        raise GeneratorFailed("it answered nothing", hint=_HINT)
    return answer


def _try_chat_model(wiring: Wiring, model: str) -> str:
    """Let the characters' model say a word. Raises GeneratorFailed, BadConfig, MissingExtra."""
    timeout_s, began = wiring.settings.number(_TIMEOUT), wiring.clock.now()
    parts = models.open_chat_model(wiring.settings, model, timeout_s=timeout_s).stream(
        [ChatMessage("system", _WORD.system), ChatMessage("user", _WORD.text)],
        Sampling(0.0, _WORD.max_output_tokens),
    )
    reply = ""
    for part in parts:
        reply += part.text
        if (wiring.clock.now() - began).total_seconds() > timeout_s:
            raise GeneratorFailed(f"{model} did not answer within {timeout_s:g} s")
    _check_spoken_answer(reply)
    return f"{model} answered"
