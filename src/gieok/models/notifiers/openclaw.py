"""Notifier through OpenClaw's webhook: the agent tells its person on any channel they have.

The text says that it is no memory (`text.echo.NOTICE`), so that the transcript which OpenClaw
writes of it is not observed.
"""

from gieok.agents.openclaw.gateway import Webhook, webhook
from gieok.errors import NotifierFailed, Phrase, ServiceFailed
from gieok.models.http import Service, build_bearer_header
from gieok.opening import ChannelOpening
from gieok.text.echo import NOTICE

_MOST_CHARS = 2_000
#: The two routes of every gateway → the answer to a request without a text, which shows that the
#: token is right.
_ASKS_FOR_TEXT = {"wake": "text required", "agent": "message required"}


class OpenClawChannel:
    """`Channel` through the gateway of an OpenClaw on this machine, or at `notify.openclaw_url`."""

    def __init__(self, opening: ChannelOpening) -> None:
        self._opening = opening
        self._route = opening.setting("openclaw_route").strip("/") or "wake"
        self._url = opening.setting("openclaw_url").rstrip("/")

    def send(self, title: str, text: str) -> str:
        """Post the notice to the webhook's route."""
        hook = self._webhook()
        service = self._reached(hook)
        answer = service.post(
            f"{hook.path}/{self._route}", self._body(title, text), self._hints(hook)
        )
        if answer and answer.get("ok") is not True:
            raise service.misunderstood("it did not say that it took it")
        outcome = answer.get("eventOutcome") or answer.get("runId") or "done"
        return f"{service.address}{hook.path}/{self._route} took it: {outcome}"

    def check(self) -> str:
        """Send a request without a text, which the gateway refuses for the missing text or the
        token.
        """
        hook = self._webhook()
        service = self._reached(hook)
        # A mapping in the gateway would act on any request.
        route = self._route if self._route in _ASKS_FOR_TEXT else "wake"
        try:
            service.post(f"{hook.path}/{route}", {}, self._hints(hook))
        except ServiceFailed as error:
            if error.status != 400 or _ASKS_FOR_TEXT[route] not in str(error):
                raise
        return f"{service.address}{hook.path} takes the token"

    def _webhook(self) -> Webhook:
        opening = self._opening
        hook = webhook(opening.environment, opening.user, opening.secret, opening.key_variable)
        # maybe a gateway of another machine: the person's token comes first, then the local one
        if self._url:
            token = opening.secret(opening.key_variable) or hook.token
            missing = "" if token else f"{opening.key_variable} is not set"
            hook = hook._replace(addresses=(self._url,), token=token, missing=missing)
        if hook.missing:
            raise NotifierFailed(
                Phrase(hook.missing),
                config=hook.config,
                key_hint=Phrase(self._opening.key_hint),
                hint=(
                    'write `"hooks": {{"enabled": true, "token": "…"}}` into {config}, '
                    "restart the gateway; for another gateway set `notify.openclaw_url`, and "
                    "{key_hint}"
                ),
            )
        return hook

    def _reached(self, hook: Webhook) -> "_Gateway":
        """Return the first gateway that answers as a live one: a token is sent to no other
        server.
        """
        failed: ServiceFailed | None = None
        for address in hook.addresses:
            service = _Gateway(address, {}, self._opening.timeout_s)
            try:
                if service.get("/health").get("ok") is True:
                    return _Gateway(
                        address, build_bearer_header(hook.token), self._opening.timeout_s
                    )
                failed = failed or service.misunderstood("this is no gateway of OpenClaw's")
            except ServiceFailed as error:
                failed = failed or error
        raise NotifierFailed(
            str(failed), hint="start it: `openclaw gateway`; or set `notify.openclaw_url`"
        )

    def _body(self, title: str, text: str) -> dict[str, object]:
        words = " ".join(text.split())[:_MOST_CHARS]
        line = f"{NOTICE}. Tell your user: {title}: {words}"
        if self._route == "wake":
            return {"text": line, "mode": "now"}
        if self._route == "agent":
            return {"message": line, "name": "Gieok", "deliver": True, "wakeMode": "now"}
        return {"title": title, "text": line, "message": line}

    def _hints(self, hook: Webhook) -> dict[int, str]:
        route = f"{hook.path}/{self._route}"
        return {
            401: f"the token is another: compare `hooks.token` in {hook.config}; "
            f"for another gateway {self._opening.key_hint}",
            404: (
                f"the gateway has no {route}: compare `hooks.path` and `hooks.mappings` in "
                f"{hook.config}, restart it"
            ),
            429: "too many wrong tokens came: wait a minute, then `gieok notify test openclaw`",
        }


class _Gateway(Service):
    """OpenClaw gateway, and its address."""

    def __init__(self, address: str, headers: dict[str, str], timeout_s: float) -> None:
        super().__init__("OpenClaw's gateway", address, headers, timeout_s, NotifierFailed)
        self.address = address
