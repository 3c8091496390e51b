"""Questions of step 3 of `gieok setup`: which observer reads the conversations.

The observer says what is worth keeping. The observer is rules, an agent's command, or a model.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from gieok.commands.setup.dialogue import Pick
from gieok.commands.setup.interview import Given, Interview
from gieok.commands.setup.questions.question import (
    AnswerKind,
    SecretQuestion,
    SettingQuestion,
    SetupQuestion,
)
from gieok.ports.setup import Provider
from gieok.text.messages import Words

_MODEL, _URL, _VARIABLE = "observe.model", "observe.base_url", "observe.key_variable"
#: Small, quick models to pick from; a typed name is tried.
_USUAL = {
    "anthropic": ("claude-haiku-4-5", "claude-sonnet-4-5"),
    "gemini": ("gemini-3.5-flash-lite", "gemini-3.5-flash"),
    "openai": ("gpt-5-mini", "gpt-5-nano"),
}
_RULES, _OLLAMA, _COMPATIBLE = "rules", "ollama", "compatible"
_OWN_KEY = "COMPATIBLE_API_KEY"


def provider_now(known: Interview) -> str:
    """Return the provider that observes under the current settings."""
    return known.setting(_MODEL).partition(":")[0]


def _find_chosen_provider(known: Interview) -> Provider | None:
    return known.providers.get(known.text("model"))


def _is_current_provider(known: Interview) -> bool:
    return known.text("model") == provider_now(known)


def _rank_provider(provider: Provider) -> tuple[bool, bool, bool, str]:
    """Return the sort key of a provider: those without a key first, those with an address last."""
    return (
        not provider.is_program,
        provider.name != _OLLAMA,
        provider.name == _COMPATIBLE,
        provider.name,
    )


class _ModelQuestion(SetupQuestion):
    """Observer: rules, an agent's command, or the provider of a model."""

    name = "model"
    step = 3
    kind = AnswerKind.ONE
    decides = (_MODEL,)
    trial = "model"
    words = Words("What decides what is worth keeping?")

    def picks(self, known: Interview) -> Sequence[Pick]:
        rules = known.words("rules, no model")
        picks = [
            Pick(
                _RULES,
                rules,
                known.words("no key, nothing leaves; weaker"),
            )
        ]
        for provider in sorted(known.providers.values(), key=_rank_provider):
            is_now = provider.name == provider_now(known)
            if provider.is_program and (provider.program or is_now):
                detail = known.words("your subscription, no key")
                picks.append(
                    Pick(
                        provider.name,
                        provider.name,
                        detail if provider.program else known.words("not here"),
                    )
                )
            elif provider.name == _OLLAMA and (known.ollama is not None or is_now):
                count = len(known.ollama or ())
                picks.append(
                    Pick(
                        _OLLAMA,
                        "Ollama",
                        known.words("runs here, {count} models", count=count),
                    )
                )
            elif not provider.is_program and provider.name != _OLLAMA:
                picks.append(
                    Pick(
                        provider.name,
                        _format_provider_label(known, provider),
                        _format_provider_needs(known, provider),
                    )
                )
        return picks

    def default(self, known: Interview) -> Given:
        return provider_now(known)

    def settings(self, known: Interview) -> Mapping[str, str]:
        model, name = known.text(self.name), known.text("model_name").strip()
        if _is_current_provider(known):
            name = name or known.setting(_MODEL).partition(":")[2]
            return {_MODEL: f"{model}:{name}" if name else model}
        return {_MODEL: f"{model}:{name}" if name else model, _URL: "", _VARIABLE: ""}


def _format_provider_label(known: Interview, provider: Provider) -> str:
    names = {"anthropic": "Anthropic", "gemini": "Gemini", "openai": "OpenAI"}
    other = known.words("another, OpenAI-compatible")
    return names.get(provider.name, other if provider.name == _COMPATIBLE else provider.name)


def _format_provider_needs(known: Interview, provider: Provider) -> str:
    if provider.place:
        return known.words("key in {place}", place=provider.place)
    return known.words("needs a key") if provider.variable else ""


class _AddressQuestion(SettingQuestion):
    """Address of a server that speaks as OpenAI's does."""

    name = "base_url"
    step = 3
    kind = AnswerKind.TEXT
    decides = (_URL,)
    trial = "model"
    words = Words("Its address")

    def applies(self, known: Interview) -> bool:
        return known.text("model") == _COMPATIBLE

    def default(self, known: Interview) -> Given:
        return super().default(known) if _is_current_provider(known) else ""

    def wrong(self, known: Interview, text: str) -> str:
        try:
            parts = urlsplit(text.strip())
            is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_one = False
        return "" if is_one else known.words("an address such as http://127.0.0.1:8000/v1")


class _ModelNameQuestion(SetupQuestion):
    """Model of the chosen provider; `_ModelQuestion` sets it together with the provider."""

    name = "model_name"
    step = 3
    kind = AnswerKind.ONE
    decides = (_MODEL,)
    trial = "model"
    words = Words("Which model?")
    free = Words("another model …")

    def applies(self, known: Interview) -> bool:
        provider = _find_chosen_provider(known)
        return provider is not None and not provider.is_program

    def note(self, known: Interview) -> Sequence[str]:
        provider = _find_chosen_provider(known)
        if provider and provider.needs:
            return (known.words("first, in another terminal: {needs}", needs=provider.needs),)
        return ()

    def picks(self, known: Interview) -> Sequence[Pick]:
        model = known.text("model")
        names = list(known.ollama or ()) if model == _OLLAMA else list(_USUAL.get(model, ()))
        now = known.setting(_MODEL).partition(":")[2] if _is_current_provider(known) else ""
        return [Pick(name, name) for name in dict.fromkeys([*([now] if now else []), *names])]

    def default(self, known: Interview) -> Given:
        return next((pick.value for pick in self.picks(known)), "")

    def wrong(self, known: Interview, text: str) -> str:
        return "" if text.strip() else known.words("the model's name")


class _ModelKeyQuestion(SecretQuestion):
    """Key of the chosen provider, asked where the provider wants one."""

    name = "key"
    step = 3
    trial = "model"
    words = Words("Its key (not shown)")

    def variable(self, known: Interview) -> str:
        """Return the variable of the model's key; '' where it needs none."""
        provider = _find_chosen_provider(known)
        own = known.setting(_VARIABLE) if _is_current_provider(known) else ""
        if provider and provider.name == _COMPATIBLE:
            return own or _OWN_KEY
        return (own or provider.variable) if provider else ""

    def applies(self, known: Interview) -> bool:
        return bool(self.variable(known))

    def note(self, known: Interview) -> Sequence[str]:
        if place := self.find_place(known):
            return (known.words("A key is in {place}; leave it empty to keep that.", place=place),)
        if known.text("model") == _COMPATIBLE:
            return (known.words("Leave it empty where the server wants none."),)
        return ()

    def wrong(self, known: Interview, text: str) -> str:
        is_needed = known.text("model") != _COMPATIBLE and not self.find_place(known)
        if is_needed and not text.strip():
            return known.words("paste the key (it is not shown)")
        return super().wrong(known, text)

    def settings(self, known: Interview) -> Mapping[str, str]:
        is_own = known.text("model") == _COMPATIBLE and known.text(self.name).strip()
        return {_VARIABLE: self.variable(known)} if is_own else {}


MODEL = (_ModelQuestion(), _AddressQuestion(), _ModelNameQuestion(), _ModelKeyQuestion())
