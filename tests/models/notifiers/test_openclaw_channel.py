"""OpenClaw's webhook is found by OpenClaw's own configuration, and every refusal says what to
do.
"""

import json
import socket

import pytest
from gateway import TOKEN, Gateway

from gieok.errors import NotifierFailed
from gieok.models.notifiers.openclaw import OpenClawChannel
from gieok.text.echo import NOTICE


@pytest.fixture
def channel(opening):
    """Return a function that opens the channel with settings."""
    return lambda timeout_s=10.0, secrets=None, environment=None, **settings: OpenClawChannel(
        opening(settings, secrets, environment, timeout_s, key_variable="OPENCLAW_HOOKS_TOKEN")
    )


def _failure(channel: OpenClawChannel, *, way: str = "send") -> NotifierFailed:
    with pytest.raises(NotifierFailed) as failed:
        channel.send("gieok: the observer waits", "no answer") if way == "send" else channel.check()
    assert TOKEN not in str(failed.value) + failed.value.hint
    return failed.value


def test_the_agent_is_woken_with_a_line_that_says_that_it_is_no_memory(
    channel, gateway: Gateway, user
) -> None:
    gateway.configure(user)
    said = channel().send("gieok: the observer waits", "gemini:x\nanswered 503")
    assert gateway.took == [
        (
            "wake",
            {
                "text": (
                    f"{NOTICE}. Tell your user: gieok: the observer waits: gemini:x answered 503"
                ),
                "mode": "now",
            },
        )
    ]
    assert said == f"http://127.0.0.1:{gateway.port}/hooks/wake took it: queued"


def test_a_run_of_the_agent_can_be_asked_to_deliver_it(channel, gateway: Gateway, user) -> None:
    gateway.configure(user)
    assert "6a5f0c9e" in channel(openclaw_route="agent").send("a", "b")
    ((route, body),) = gateway.took
    assert route == "agent"
    assert body["deliver"] is True
    assert body["message"].startswith(NOTICE)


def test_a_mapping_of_the_user_gets_title_and_text(channel, gateway: Gateway, user) -> None:
    gateway.configure(user)
    channel(openclaw_route="oc-memory-alert").send("gieok: a", "b")
    ((route, body),) = gateway.took
    assert (route, body["title"]) == ("oc-memory-alert", "gieok: a")


def test_a_look_proves_the_token_and_tells_nobody(channel, gateway: Gateway, user) -> None:
    gateway.configure(user)
    for route in ("wake", "agent", "oc-memory-alert"):
        assert (
            channel(openclaw_route=route).check()
            == f"http://127.0.0.1:{gateway.port}/hooks takes the token"
        )
    assert gateway.took == []
    gateway.configure(user, token="another")
    assert "401" in str(_failure(channel(), way="check"))


def test_a_wrong_token_says_where_the_right_one_stands(channel, gateway: Gateway, user) -> None:
    file = gateway.configure(user, token="another")
    failed = _failure(channel())
    assert "401" in str(failed)
    assert str(file) in failed.hint


def test_too_many_wrong_tokens_say_to_wait(channel, gateway: Gateway, user) -> None:
    gateway.configure(user, token="another")
    gateway.failures = 20
    assert "wait a minute" in _failure(channel()).hint


def test_a_route_that_is_not_there_names_what_to_compare(channel, gateway: Gateway, user) -> None:
    gateway.configure(user)
    failed = _failure(channel(openclaw_route="nowhere"))
    assert "404" in str(failed)
    assert "hooks.mappings" in failed.hint


def test_another_path_of_hooks_is_taken_from_the_configuration(channel, user) -> None:
    other = Gateway(path="/in/here")
    other.configure(user, path="in/here/")
    try:
        assert "/in/here/wake took it" in channel().send("a", "b")
    finally:
        other.close()


def test_a_slow_gateway_is_not_waited_for(channel, gateway: Gateway, user) -> None:
    gateway.configure(user)
    gateway.is_slow = True
    assert "did not answer within 0.2 s" in str(_failure(channel(timeout_s=0.2)))


def test_webhooks_that_are_off_or_have_no_token_are_told_before_anything_is_sent(
    channel, gateway: Gateway, user
) -> None:
    file = gateway.configure(user, enabled=False)
    assert (
        str(_failure(channel()))
        == f"OpenClaw's webhooks are off: `hooks.enabled` is not true in {file}"
    )
    gateway.configure(user, token="")
    assert "`hooks.token` is not set" in str(_failure(channel()))
    assert gateway.seen_tokens == []


def test_no_openclaw_at_all_says_so(channel) -> None:
    assert "no OpenClaw in" in str(_failure(channel()))


def test_a_token_may_stand_in_a_variable_of_openclaws_or_in_ours(
    channel, gateway: Gateway, user
) -> None:
    file = gateway.configure(user, token="${OC_HOOKS}")
    assert "no token" in str(_failure(channel()))
    channel(environment={"OC_HOOKS": TOKEN}).send("a", "b")
    channel(secrets={"OPENCLAW_HOOKS_TOKEN": TOKEN}).send("a", "b")
    private = file.with_name(".env")
    private.write_text(f"OC_HOOKS={TOKEN}\n", encoding="utf-8")
    private.chmod(0o600)
    channel().send("a", "b")
    assert len(gateway.took) == 3


def test_the_environment_names_the_port_where_the_configuration_does_not(
    channel, gateway: Gateway, user
) -> None:
    gateway.configure(user)
    file = user / ".openclaw" / "openclaw.json"
    file.write_text(json.dumps({"hooks": {"enabled": True, "token": TOKEN}}), encoding="utf-8")
    channel(environment={"OPENCLAW_GATEWAY_PORT": str(gateway.port)}).send("a", "b")
    assert len(gateway.took) == 1


def test_another_address_gets_the_token_that_was_given_for_it(channel, gateway: Gateway) -> None:
    address = f"http://127.0.0.1:{gateway.port}/"
    assert "OPENCLAW_HOOKS_TOKEN is not set" in str(_failure(channel(openclaw_url=address)))
    channel(openclaw_url=address, secrets={"OPENCLAW_HOOKS_TOKEN": TOKEN}).send("a", "b")
    assert gateway.seen_tokens == [TOKEN]


def test_a_token_goes_to_nobody_who_does_not_say_that_it_is_a_gateway(
    channel, gateway: Gateway, user
) -> None:
    gateway.configure(user)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        failed = _failure(channel(openclaw_url=address, secrets={"OPENCLAW_HOOKS_TOKEN": TOKEN}))
    assert "cannot be reached" in str(failed)
    assert "openclaw gateway" in failed.hint
