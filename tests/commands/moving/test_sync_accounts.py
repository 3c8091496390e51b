"""What characters remember and what other users said stays on the device that has it."""

import pytest
from devices import DeviceHome

from gieok.commands.command import Style
from gieok.commands.moving import sync, sync_exchange
from gieok.model.conversation import Message, Role
from gieok.model.memory import Scope
from gieok.places.scope import is_of_account

ACCOUNTS = ("user:bob", "user:bob/character:mina", "user:me/character:mina", "character:mina")

pytestmark = pytest.mark.usefixtures("device_environment")


def say_in(device: DeviceHome, scope: str, text: str) -> None:
    call = device.open()
    message = Message(f"of {scope}", Role.USER, text, device.clock.now(), "s1", "web")
    call.home.journal.say(Scope(scope), [message])
    call.home.journal.close()


def remember_in(device: DeviceHome, scope: str, text: str) -> None:
    device.flags = {"scope": scope}
    device.run("remember", text=[text])
    device.flags = {}


def list_scopes(device: DeviceHome) -> list[str]:
    call = device.open()
    scopes = [scope.path for scope in call.home.journal.scopes()]
    call.home.journal.close()
    return scopes


def test_memory_of_accounts_is_not_sent_and_counted(pair: list[DeviceHome]) -> None:
    one, two = pair
    for scope in (*ACCOUNTS, "user:me", "agent:main"):
        say_in(one, scope, "I work as a spy.")
    assert one.sync().accounts == len(ACCOUNTS)
    assert two.sync().accounts == 0
    assert list_scopes(two) == ["agent:main", "user:me"]
    status = one.run("sync status")
    assert status.accounts == len(ACCOUNTS)
    said = "4 scopes of characters and of other users stay on this device"
    assert said in sync.render_sync_status(status, Style("en", colour=False))


def test_memory_of_accounts_that_a_device_sent_is_not_taken(
    pair: list[DeviceHome], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = pair
    for scope in (*ACCOUNTS, "agent:main"):
        say_in(one, scope, "I work as a spy.")
    with monkeypatch.context() as before:
        before.setattr(sync_exchange, "is_of_account", lambda scope: False)
        one.sync()
    for _ in range(2):
        done = two.sync()
        assert done.waiting_for == {sync_exchange.ACCOUNT: len(ACCOUNTS)}
        assert done.faults == ()
    assert list_scopes(two) == ["agent:main"]
    # Who sent them has them: they wait for nothing there.
    one.run("sync run", anew=True)
    for _ in range(2):
        assert one.sync().waiting_for == {}
    assert one.run("sync status").waiting_for == {}


@pytest.mark.parametrize(
    ("scope", "is_left"),
    [
        ("agent:main", False),
        ("user:me", False),
        ("user:me/agent:codex", False),
        ("user:me/canon:mina", True),
        ("user:melanie", True),
        ("project:shop/user:bob", True),
    ],
)
def test_whose_scope_stays(scope: str, *, is_left: bool) -> None:
    assert is_of_account(scope) == is_left


def test_a_scope_that_has_records_alone_is_counted(pair: list[DeviceHome]) -> None:
    one, _ = pair
    remember_in(one, "user:bob", "Bob likes chess.")
    one.remember("We lint with ruff.")
    assert one.sync().accounts == 1
    assert one.run("sync status").accounts == 1


@pytest.mark.parametrize(
    ("match", "said"),
    [
        ("chess", ["does not travel"]),
        ("ruff", ["when they synchronise"]),
        ("e", ["when they synchronise", "does not travel"]),
    ],
)
def test_forgetting_says_whether_it_travels(
    pair: list[DeviceHome], match: str, said: list[str]
) -> None:
    one, _ = pair
    remember_in(one, "user:bob", "Bob likes chess.")
    one.remember("We lint with ruff every day.")
    one.sync()
    done = one.run("forget", match=match, yes=True).done
    told = [why for place, why in done.still_in if place.endswith("remote")]
    assert [part in why for part, why in zip(said, told, strict=True)] == [True] * len(said)


def test_erasing_names_the_remote_that_keeps_what_was_sent(pair: list[DeviceHome]) -> None:
    one, _ = pair
    one.remember("We lint with ruff.")
    one.sync()
    left = one.run("erase", all=True, dry_run=True).left
    (why,) = [row.reason for row in left if row.path.endswith("remote")]
    assert why.startswith("sent before, encrypted: it stays there")
