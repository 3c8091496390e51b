"""Opens language models, and what asks them within a budget."""

from gieok import registry
from gieok.app.wiring import Wiring
from gieok.config import Settings
from gieok.engine.generate import Asker
from gieok.errors import BadConfig, GeneratorFailed
from gieok.ports.models import ChatModel, Generator


def asker(wiring: Wiring, role: str, generator: Generator, budget: str = "observe.daily_tokens") -> Asker:
    """Return what asks a model in a role, within the tokens of a day, which a setting names."""
    return Asker(
        role=role,
        generator=generator,
        ledger=wiring.stores.journal(),
        clock=wiring.clock,
        zone=wiring.zone,
        wait=lambda seconds: (wiring.wait(seconds), None)[1],
        daily_tokens=wiring.settings.integer(budget),
    )


def generator(settings: Settings, prefix: str, model: str) -> Generator:
    """Return the generator of `provider:model`, or of an agent's command (`claude-code`, `codex:name`).

    Its address and key are the settings that begin with `prefix` ('' for none).

    Raises BadConfig, MissingExtra.
    """
    provider, _, name = model.partition(":")
    if provider not in registry.GENERATORS or not (name or registry.GENERATORS[provider].program):
        known = ", ".join(sorted(registry.GENERATORS))
        alone = ", ".join(name for name, row in registry.GENERATORS.items() if row.program)
        raise BadConfig(
            f"no such model: {model!r}", hint=f"write provider:model ({alone} alone will do); providers: {known}"
        )
    address, variable = (settings.text(f"{prefix}{name}") if prefix else "" for name in ("base_url", "key_variable"))
    row = registry.GENERATORS[provider]
    variable = variable or row.key_variable
    key = settings.secret(variable) if variable else ""
    made: Generator = registry.load(registry.GENERATORS, provider)(model, key, address or row.address)
    return made


def chat(settings: Settings, model: str) -> ChatModel:
    """Return the model that talks of `provider:model`, or `scripted`. Raises BadConfig, MissingExtra, GeneratorFailed.

    Address and key of `character.model` are those of every model of its provider.
    """
    provider, _, name = model.partition(":")
    row = registry.CHATS.get(provider)
    if row is None or not (name or provider == "scripted"):
        known = ", ".join(sorted(registry.CHATS))
        raise BadConfig(f"no such model: {model!r}", hint=f"write provider:model, or scripted; providers: {known}")
    is_own = settings.text("character.model").partition(":")[0] == provider
    address, variable = (settings.text(f"character.{one}") if is_own else "" for one in ("base_url", "key_variable"))
    variable = variable or row.key_variable
    key = settings.secret(variable) if variable else ""
    made: ChatModel = registry.load(registry.CHATS, provider)(model, key, address or row.address)
    return made


def memory_model(settings: Settings) -> str:
    """Return the model that finds facts for characters, and writes their summaries; '' where rules do it alone."""
    model = settings.text("character.memory_model") or settings.text("character.model")
    return "" if model in ("rules", "scripted") else model


def memory_asker(wiring: Wiring) -> Asker:
    """Return what asks it. Raises BadConfig, MissingExtra."""
    settings, model = wiring.settings, memory_model(wiring.settings)
    is_shared = settings.text("character.model").partition(":")[0] == model.partition(":")[0]
    has_own = settings.text("character.memory_base_url") or settings.text("character.memory_key_variable")
    prefix = "character." if is_shared and not has_own else "character.memory_"
    return asker(wiring, "character", generator(settings, prefix, model), "character.daily_tokens")


def observer(wiring: Wiring) -> str:
    """Say what observes, and which command of an agent could, without a key; nothing is asked. Raises GeneratorFailed."""
    settings, environment = wiring.settings, wiring.caller.environment
    model, path = settings.text("observe.model"), settings.text("observe.base_url")
    rows = registry.GENERATORS
    if model == "rules":
        here = [name for name, row in rows.items() if row.program and registry.find_program(row.program, environment)]
        has_key = any(settings.secret(row.key_variable) for row in rows.values() if row.key_variable)
        if has_key or not here:
            return "rules, no model: weaker"
        command = f"`observe.model: {here[0]}` in the settings lets the agent's own command observe, without a key"
        return f"rules, no model: weaker; {command}"
    provider = model.partition(":")[0]
    program = rows[provider].program if provider in rows else ""
    if not program:
        return model
    found = registry.find_program(path or program, environment)
    if not found:
        raise GeneratorFailed(
            f"{model} needs the command `{path or program}`, which is not here",
            hint="install it, or name its path in `observe.base_url`",
        )
    return f"{model}, by {found!r}"
