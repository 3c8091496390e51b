"""Opens language models and the askers that query them within a budget.

The module also reports what is known of a model without asking it.
"""

import ipaddress
from urllib.parse import urlsplit

from gieok import registry
from gieok.errors import BadConfig, GeneratorFailed, Phrase
from gieok.flow.generate import Asker
from gieok.home.home import Home
from gieok.ports.journal import Ledger
from gieok.ports.models import ChatModel, Generated, Generator, Prompt
from gieok.settings.delays import parse_delays
from gieok.settings.values import Settings


def asker(
    home: Home,
    role: str,
    generator: Generator,
    budget: str = "observe.daily_tokens",
    ledger: Ledger | None = None,
) -> Asker:
    """Return an asker that queries a model in a role, within a daily budget of tokens.

    The setting `budget` names the budget; the journal counts the tokens.
    """
    return Asker(
        role=role,
        generator=generator,
        ledger=ledger or home.stores.journal(),
        clock=home.clock,
        zone=home.zone,
        wait=lambda seconds: (home.wait(seconds), None)[1],
        daily_tokens=home.settings.integer(budget),
        delays_s=parse_delays(home.settings.text("observe.retry_delays_s")),
    )


def generator(settings: Settings, prefix: str, model: str) -> Generator:
    """Return the generator of `provider:model`, or of an agent's command.

    A command is `claude-code` or `codex:name`. The generator's address and key are the settings
    that begin with `prefix` ('' for none). Raises BadConfig, MissingExtra.
    """
    provider = model.partition(":")[0]
    try:
        registry.check_model(registry.GENERATORS, (), model)
    except ValueError as error:
        raise BadConfig(
            "no such model: {model!r}: {error}", model=model, error=error, hint=registry.MODEL_HINT
        ) from None
    address, variable = (
        settings.text(f"{prefix}{name}") if prefix else "" for name in ("base_url", "key_variable")
    )
    row = registry.GENERATORS[provider]
    variable = variable or row.key_variable
    key = settings.secret(variable) if variable else ""
    model_generator: Generator = registry.load_backend(registry.GENERATORS, provider)(
        model, key, address or row.address
    )
    return model_generator


def open_chat_model(settings: Settings, model: str, *, timeout_s: float = 0.0) -> ChatModel:
    """Return the chat model of `provider:model`, or `scripted`.

    The address and key of `character.model` serve every model of its provider. `timeout_s` limits
    how long a provider may take for a piece of a reply; 0 sets the default. Raises BadConfig,
    MissingExtra, GeneratorFailed.
    """
    provider = model.partition(":")[0]
    try:
        registry.check_model(registry.CHATS, ("scripted",), model)
    except ValueError as error:
        known = ", ".join(sorted(registry.CHATS))
        hint = Phrase("write provider:model, or scripted; providers: {known}", known=known)
        raise BadConfig(
            "no such model: {model!r}: {error}", model=model, error=error, hint=hint
        ) from None
    row = registry.CHATS[provider]
    is_own = settings.text("character.model").partition(":")[0] == provider
    address, variable = (
        settings.text(f"character.{name}") if is_own else ""
        for name in ("base_url", "key_variable")
    )
    variable = variable or row.key_variable
    key = settings.secret(variable) if variable else ""
    limit = {"timeout_s": timeout_s} if timeout_s else {}
    chat_model: ChatModel = registry.load_backend(registry.CHATS, provider)(
        model, key, address or row.address, **limit
    )
    return chat_model


def memory_model(settings: Settings) -> str:
    """Return the model that finds facts and writes summaries for characters; '' where rules do."""
    model = settings.text("character.memory_model") or settings.text("character.model")
    return "" if model in ("rules", "scripted") else model


def memory_prefix(settings: Settings) -> str:
    """Return the prefix of the settings for the address and key of the characters' memory model."""
    is_shared = (
        settings.text("character.model").partition(":")[0]
        == memory_model(settings).partition(":")[0]
    )
    has_own = settings.text("character.memory_base_url") or settings.text(
        "character.memory_key_variable"
    )
    return "character." if is_shared and not has_own else "character.memory_"


class MemoryGenerator:
    """`Generator` of the characters' memory model.

    The model is opened for each prompt, so that a key that was set since takes effect.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.model = memory_model(settings)

    def generate(self, prompt: Prompt) -> Generated:
        """Return the answer. Raises BadConfig, MissingExtra, GeneratorFailed."""
        prefix = memory_prefix(self._settings)
        return generator(self._settings, prefix, self.model).generate(prompt)


def memory_asker(home: Home) -> Asker | None:
    """Return an asker of the characters' memory model; None where rules do."""
    if not memory_model(home.settings):
        return None
    memory_generator = MemoryGenerator(home.settings)
    return asker(home, "character", memory_generator, "character.daily_tokens")


def verify_model_setting(home: Home, setting: str, prefix: str) -> None:
    """Raise where the model of a setting cannot be asked, as far as is known without asking it.

    Raises BadConfig, MissingExtra, GeneratorFailed.
    """
    settings = home.settings
    model = settings.text(setting)
    generator(settings, prefix, model)
    provider = model.partition(":")[0]
    row = registry.GENERATORS[provider]
    path, variable = (
        settings.text(f"{prefix}{name}") if prefix else "" for name in ("base_url", "key_variable")
    )
    if row.program and not registry.find_program(path or row.program, home.caller.environment):
        raise GeneratorFailed(
            "{model} needs the command `{program}`, which is not here",
            model=model,
            program=path or row.program,
            prefix=prefix,
            hint="install it, or name its path in `{prefix}base_url`",
        )
    variable = variable or row.key_variable
    if variable and not path and not settings.secret(variable):
        raise BadConfig(
            "{model!r} needs a key: {variable} is not set",
            model=model,
            variable=variable,
            provider=provider,
            hint="`gieok keys set {provider}`",
        )


def describe_observer(home: Home) -> str:
    """Return which observer is in use, and which agent's command could observe without a key.

    Nothing is asked. Raises as `verify_model_setting`.
    """
    settings, environment = home.settings, home.caller.environment
    model, rows = settings.text("observe.model"), registry.GENERATORS
    if model == "rules":
        here = [
            name
            for name, row in rows.items()
            if row.program and registry.find_program(row.program, environment)
        ]
        has_key = any(
            settings.secret(row.key_variable) for row in rows.values() if row.key_variable
        )
        if has_key or not here:
            return "rules, no model: weaker"
        command = (
            f"`observe.model: {here[0]}` in the settings lets the agent's own command "
            "choose what is kept, without a key"
        )
        return f"rules, no model: weaker; {command}"
    verify_model_setting(home, "observe.model", "observe.")
    program = rows[model.partition(":")[0]].program
    if not program:
        return model
    path = settings.text("observe.base_url")
    return f"{model}, by {registry.find_program(path or program, environment)!r}"


def is_paid(settings: Settings, setting: str) -> bool:
    """Return whether the embedder or the reranker (`setting`) runs on another machine."""
    table = registry.EMBEDDERS if setting == "embedder" else registry.RERANKERS
    row = table.get(settings.text(setting))
    return (
        row is not None
        and row.is_service
        and not _is_local_address(settings.text(f"{setting}.base_url") or row.address)
    )


def costs(settings: Settings, prefix: str, model: str) -> bool:
    """Return whether a model runs on another machine or on a subscription."""
    row = registry.CHATS.get(model.partition(":")[0]) or registry.GENERATORS.get(
        model.partition(":")[0]
    )
    if row is None:
        return False
    address = (settings.text(f"{prefix}base_url") if prefix else "") or row.address
    return bool(row.program) or not _is_local_address(address)


def _is_local_address(address: str) -> bool:
    """Return whether an address is on this machine; '' stands for a provider's own address."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def select_code_prefix(settings: Settings, model: str) -> str:
    """Return the prefix of the settings that hold the address and key of a model.

    The settings of one provider are never used for another.
    """
    configured = settings.text("code.model")
    is_others = configured and configured.partition(":")[0] != model.partition(":")[0]
    return "" if is_others else "code."


def upkeep_prefix(settings: Settings) -> str:
    """Return the prefix of the settings that hold the address and key of the cheap model."""
    has_own = any(settings.text(f"code.upkeep_{name}") for name in ("base_url", "key_variable"))
    return (
        "code.upkeep_"
        if has_own
        else select_code_prefix(settings, settings.text("code.upkeep_model"))
    )
