"""Opens language models, and what asks them within a budget."""

from gieok import registry
from gieok.app.wiring import Wiring
from gieok.config import Settings
from gieok.engine.generate import Asker
from gieok.errors import BadConfig
from gieok.ports.models import Generator


def asker(wiring: Wiring, role: str, generator: Generator) -> Asker:
    """Return what asks a model in a role, within the tokens of a day."""
    return Asker(
        role=role,
        generator=generator,
        ledger=wiring.stores.journal(),
        clock=wiring.clock,
        zone=wiring.zone,
        wait=lambda seconds: (wiring.wait(seconds), None)[1],
        daily_tokens=wiring.settings.integer("observe.daily_tokens"),
    )


def generator(settings: Settings, prefix: str, model: str) -> Generator:
    """Return the generator of `provider:model`, or of an agent's command (`claude-code`, `codex:name`).

    Its address and key are the settings that begin with `prefix` ('' for none).

    Raises BadConfig, MissingExtra.
    """
    provider, _, name = model.partition(":")
    if provider not in registry.GENERATORS or not (name or registry.GENERATORS[provider].program):
        known = ", ".join(sorted(registry.GENERATORS))
        alone = " or ".join(name for name, row in registry.GENERATORS.items() if row.program)
        raise BadConfig(
            f"no such model: {model!r}", hint=f"write provider:model ({alone} alone will do); providers: {known}"
        )
    address, variable = (settings.text(f"{prefix}{name}") if prefix else "" for name in ("base_url", "key_variable"))
    row = registry.GENERATORS[provider]
    variable = variable or row.key_variable
    key = settings.secret(variable) if variable else ""
    made: Generator = registry.load(registry.GENERATORS, provider)(model, key, address or row.address)
    return made
