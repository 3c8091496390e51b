"""A user who has something of everything that pages show: two languages, changes, sessions, a
character, code, an incident.
"""

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import forked
import world as worlds
from world import World

from gieok.model.conversation import Incident
from gieok.storage.journal.sqlite.journal import SqliteJournal

#: Texts that must stay text, and break no layout.
HOSTILE = (
    "<script>document.title = 'taken'</script> runs on deploy",
    '<img src="http://192.0.2.1/x" onerror="document.title=\'taken\'"> on the staging host',
    "Tom &amp; Jerry &lt;b&gt; share the staging key",
    "\u202eالذاكرة تبقى نصا\u202c on the staging wall",
    "staging " + "괴물" * 10 + "x" * 5000,
)
LINTER = "We lint with ruff; black is not used."
_KEPT = (
    LINTER,
    "배포는 매주 화요일 오전 열 시에 한다. 급하면 태오 님에게 먼저 말한다.",
    "Payments are retried three times, then a person is told.",
    "결제 모듈의 시간 제한은 30초다.",
    "The staging database is on port 8443.",
    "회의록은 노션이 아니라 저장소의 docs/minutes 아래에 둔다.",
)
_TALK = (
    (3, "user", "We decided to settle payments on Tuesdays."),
    (3, "assistant", "Noted: settlement runs on Tuesdays at nine."),
    (2, "user", "리뷰는 두 명이 승인해야 합칠 수 있다. 나는 짧은 커밋을 좋아해."),
    (2, "assistant", "알겠습니다. 두 명의 승인 뒤에 합치겠습니다."),
    (1, "user", "From now on the API answers in JSON only. I prefer pytest over unittest."),
    (0, "user", "Remember that the build machine is called otter."),
)
_CODE = {
    "shop/__init__.py": "",
    "shop/cart.py": (
        "from shop.price import price\n\n\ndef total(items):\n    return sum(price(one) for one "
        "in items)\n"
    ),
    "shop/price.py": (
        "def price(item):\n    return round(item.cost * (1 + tax(item)), 2)\n\n\ndef tax(item):\n "
        "   return 0.1\n"
    ),
    "tests/test_cart.py": (
        "from shop.cart import total\n\n\ndef test_total():\n    assert total([]) == 0\n"
    ),
}
_SYMBOLS = (
    "shop/cart.py::total",
    "shop/price.py::price",
    "shop/price.py::tax",
    "shop/price.py::<module>",
    "shop/cart.py#L4",
    "→ price",
)
_GREETING = "어서 와, 오늘은 어땠어?"
_CHAT = ("나는 성수동에 살아. 고양이 이름은 보리야.", "내일 면접이 있어서 떨려.")
_INCIDENT = "HTTP 503 from the model"


class Prepared(NamedTuple):
    """The user, and all texts that are data, so that a page may show them in any language."""

    world: World
    handle: str
    #: The query of the session's page.
    session: str
    character: str
    data: str


def make(user: Path) -> Prepared:
    """Fill a home by the commands that fill one."""
    world = worlds.make(user)
    _write(world)
    environment = world.environment(GIEOK_EMBEDDER="none", GIEOK_HOOK_DEADLINE_MS="60000")
    with forked.commands() as commands:

        def run(*arguments: str, given: str = "") -> str:
            done = commands.run(arguments, environment, world.project, given=given)
            assert done.status == 0, (arguments, done)
            return done.out

        run("index", str(world.notes))
        for text in _KEPT:
            run("remember", text)
        run("observe", "run", "--once")
        run("remember", "The staging database is on port 9443 now.")
        run("remember", *HOSTILE[:1])
        for text in HOSTILE[1:]:
            run("remember", text)
        listed = json.loads(run("list", "Payments", "--json"))["memories"]
        handle = listed[0]["handle"]
        run("edit", handle, "Payments are retried five times, then a person is told.")
        handle = json.loads(run("list", "retried five", "--json"))["memories"][0]["handle"]
        run("code", "init")
        run("character", "create", "마루", "--greeting", _GREETING)
        run("character", "chat", "마루", given="\n".join((*_CHAT, "")))
        scope = json.loads(run("status", "--json"))["scope"]
        payload = {
            "session_id": "s",
            "cwd": str(world.project),
            "prompt": "which linter do we use, ruff?",
        }
        run("hook", "prompt", "--agent", "claude-code", given=json.dumps(payload))
        listed = json.loads(run("list", "--limit", "1000", "--json"))["memories"]
    _raise_incident(world)
    known = [value for row in listed for value in (row["text"], row["path"], row["scope"])]
    known += [file.read_text(encoding="utf-8") for file in world.user.rglob("*.md")]
    known += [
        *_SYMBOLS,
        "observer",
        _INCIDENT,
        "마루",
        "me",
        _GREETING,
        *_CHAT,
        "그래서 어떻게 됐어?",
        "which linter do we use",
    ]
    data = "\n".join(
        (
            *known,
            *_KEPT,
            *(text for _, _, text in _TALK),
            *HOSTILE,
            *_CODE.values(),
            *_CODE,
            str(world.user),
        )
    )
    return Prepared(world, handle, f"scope={scope}&agent=claude-code&session=s", "마루", data)


def _write(world: World) -> None:
    for name, text in _CODE.items():
        file = world.project / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    now = datetime.now(UTC)
    lines = []
    for number, (days, role, text) in enumerate(_TALK):
        at = (now - timedelta(days=days, minutes=10 - number)).isoformat()
        said = {"role": role, "content": text}
        row = {"type": role, "uuid": f"m{number}", "sessionId": "s", "cwd": str(world.project)}
        lines.append(json.dumps({**row, "timestamp": at, "message": said}))
    transcript = world.user / ".claude" / "projects" / "-shop" / "s.jsonl"
    transcript.write_text("\n".join([*lines, "{broken", ""]), encoding="utf-8")


def _raise_incident(world: World) -> None:
    """Keep that a model did not answer, as the observer does after its retries."""
    now = datetime.now(UTC)
    with closing(SqliteJournal(world.home / "journal.sqlite")) as journal:
        journal.raise_incident(
            Incident("observer", _INCIDENT, now - timedelta(hours=2), 3, now + timedelta(hours=1))
        )
