"""Address and token of the webhooks of OpenClaw's gateway.

Read from OpenClaw's own configuration (2026.7 to 2026.9).
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from gieok.agents.openclaw.installation import find_openclaw
from gieok.agents.transcripts.fields import Line, read_object_field, read_text_field
from gieok.env_file import private_variables
from gieok.errors import BadConfig, BadRequest

USUAL_PORT = 18789
_PORT_VARIABLE = "OPENCLAW_GATEWAY_PORT"
#: The form `${NAME}`, for which OpenClaw substitutes a variable in its configuration.
_REFERENCE = re.compile(r"\$\{([A-Za-z_]\w*)\}")


class Webhook(NamedTuple):
    """Addresses to try in order, the path of hooks, and the token.

    `missing` says what the webhook still needs to work, '' for nothing.
    """

    addresses: tuple[str, ...]
    path: str = "/hooks"
    token: str = ""
    missing: str = ""
    config: str = "openclaw.json"


def webhook(
    environment: Mapping[str, str], user: Path, secret: Callable[[str], str], variable: str
) -> Webhook:
    """Return the webhook by OpenClaw's configuration, then the environment, then the usual port.

    `secret` returns the value of a secret variable, '' for none; `variable` names the token's
    variable where the configuration has no token.
    """
    try:
        openclaw = find_openclaw(environment, user)
    except BadRequest as error:
        return Webhook(
            _list_gateway_addresses({}, environment),
            token=secret(variable),
            missing=error.in_full,
        )
    hooks, gateway = (
        read_object_field(openclaw.settings.get("hooks")),
        read_object_field(openclaw.settings.get("gateway")),
    )
    path = "/" + (read_text_field(hooks.get("path")) or "hooks").strip("/")
    token = _resolve_gateway_token(
        read_text_field(hooks.get("token")), openclaw.state, environment, secret
    ) or secret(variable)
    config = str(openclaw.config)
    missing = ""
    if hooks.get("enabled") is not True:
        missing = f"OpenClaw's webhooks are off: `hooks.enabled` is not true in {config}"
    elif not token:
        missing = (
            f"OpenClaw's webhooks have no token: `hooks.token` is not set in {config}, nor is "
            f"{variable}"
        )
    return Webhook(
        addresses=_list_gateway_addresses(gateway, environment),
        path=path,
        token=token,
        missing=missing,
        config=config,
    )


def _list_gateway_addresses(gateway: Line, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return addresses on this machine: the gateway answers there, whatever it is bound to."""
    scheme = "https" if read_object_field(gateway.get("tls")).get("enabled") is True else "http"
    ports = (gateway.get("port"), environment.get(_PORT_VARIABLE, ""), USUAL_PORT)
    return tuple(
        dict.fromkeys(f"{scheme}://127.0.0.1:{port}" for port in ports if str(port or "").isdigit())
    )


def _resolve_gateway_token(
    text: str, state: Path, environment: Mapping[str, str], secret: Callable[[str], str]
) -> str:
    """Return a token with its references replaced; '' where a reference is unknown.

    References are looked up in the environment, then in OpenClaw's `.env`.
    """
    names = _REFERENCE.findall(text)
    if not names:
        return text
    try:
        own = private_variables(str(state))
    except BadConfig:
        own = {}
    values = {name: environment.get(name) or own.get(name) or secret(name) for name in names}
    return _REFERENCE.sub(lambda found: values[found[1]], text) if all(values.values()) else ""
