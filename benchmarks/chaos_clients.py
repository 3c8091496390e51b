"""Clients of one server who say, ask, correct and forget while what is behind it is killed, and
who know what was accepted. The mode `--clients` of `character_chaos.py`.

A client does one thing after another, and what failed again, until it is answered. What it was told
is done must be so; what failed may be done or not, but never twice.
"""

import http.client
import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, Protocol

import psutil

#: A client that waits longer for one answer counts as hanging; a server may be silent for a while,
#: but says so by then.
HANGS_S = 60.0
#: A client gives up a thing that it could not get done for so long.
_GIVES_UP_S = 120.0
#: Between two tries; `Retry-After` is heeded up to so much, for the sake of more tries.
_PAUSE_S, _MOST_PAUSE_S = 0.2, 1.0
_HONEST = (429, 503)
_CONFIRM = re.compile(r'`confirm`: "([0-9a-f]{12})"')
_HANDLE = re.compile(r"\b[0-9a-f]{8}\b")
_PREDICATES = ("likes", "job", "hobby", "lives_in")
_SAID = (
    "오늘 회사에서 정말 힘들었어",
    "다음 주 금요일에 면접이 있어",
    "요즘 잠을 잘 못 자",
    "My cat is Nabi",
)


class Answer(NamedTuple):
    """An answer; a status of 0 means that there was none."""

    status: int
    body: Any = None
    retry_after: str = ""


class Success(NamedTuple):
    """A request that was answered with success, by the monotonic clock."""

    begun: float
    ended: float


@dataclass
class Seen:
    """What all clients saw together."""

    until: float
    failures: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    successes: list[Success] = field(default_factory=list)
    #: Times at which a connection was refused or cut.
    cut: list[float] = field(default_factory=list)
    #: Things that a failure was told of, and that were done all the same.
    done_all_the_same: Counter[str] = field(default_factory=Counter)

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self.until

    def find_slowest(self) -> float:
        return max((one.ended - one.begun for one in self.successes), default=0.0)


class Line:
    """The connection of one client, opened anew where it was cut."""

    def __init__(self, port: int, head: Mapping[str, str], seen: Seen) -> None:
        self._port, self._seen = port, seen
        self._head = {"Content-Type": "application/json", **head}
        self._open: http.client.HTTPConnection | None = None

    def send(self, method: str, path: str, given: object = None) -> Answer:
        """Send a request once, and note what came back."""
        begun = time.monotonic()
        body = None if given is None else json.dumps(given).encode()
        try:
            answer = self._exchange(method, path, body)
        except TimeoutError:
            self.hang_up()
            self._seen.wrong.append(f"no answer within {HANGS_S:g} s: {method} {_shape(path)}")
            return Answer(0)
        except (OSError, http.client.HTTPException) as error:
            self.hang_up()
            self._seen.failures[type(error).__name__] += 1
            self._seen.cut.append(time.monotonic())
            return Answer(0)
        if answer.status < 300:
            self._seen.successes.append(Success(begun, time.monotonic()))
        else:
            self._note_failure(answer, f"{method} {_shape(path)}")
        return answer

    def _exchange(self, method: str, path: str, body: bytes | None) -> Answer:
        if self._open is None:
            self._open = http.client.HTTPConnection("127.0.0.1", self._port, timeout=HANGS_S)
        self._open.request(method, path, body, self._head)
        got = self._open.getresponse()
        text = got.read()
        return Answer(
            got.status, json.loads(text) if text else None, got.headers.get("Retry-After", "")
        )

    def _note_failure(self, answer: Answer, what: str) -> None:
        code = answer.body.get("code") if isinstance(answer.body, dict) else "no problem document"
        self._seen.failures[f"{answer.status} {code}"] += 1
        if "Traceback" in json.dumps(answer.body):
            self._seen.wrong.append(f"a traceback in {answer.status} of {what}")
        if answer.status in _HONEST and not answer.retry_after:
            self._seen.wrong.append(f"{answer.status} without Retry-After: {what}")
        if answer.status >= 500 and answer.status not in _HONEST:
            self._seen.wrong.append(f"{answer.status} {code}: {what}")

    def hang_up(self) -> None:
        """Close the connection; the next request opens another."""
        if self._open is not None:
            self._open.close()
        self._open = None


def _shape(path: str) -> str:
    """Return a path without the names in it, so that the same failures count together."""
    return re.sub(r"[0-9a-f:._-]{8,}", "…", path.partition("?")[0])


class Client(Protocol):
    """A client with a conversation or a memory of its own."""

    name: str
    done: Counter[str]

    def live(self) -> None:
        """Do one thing after another until the time is over."""

    def check(self) -> list[str]:
        """Return what of the accepted is not so, asked of the server itself."""


class _Persistent:
    """Tries again until it is answered."""

    def __init__(self, name: str, seen: Seen, line: Line) -> None:
        self.name, self.seen, self.line = name, seen, line
        self.chance = random.Random(name)
        self.done: Counter[str] = Counter()

    def live(self) -> None:
        deeds = self.deeds()
        while not self.seen.is_over:
            deed = self.chance.choice(deeds)
            deed()
        self.line.hang_up()  # else the server does, before `check`

    def deeds(self) -> Sequence[Callable[[], None]]:
        raise NotImplementedError

    def try_until(self, send: Callable[[], Answer], *fine: int) -> Answer:
        """Send until the answer is a success or one of `fine`; return it, or the last failure."""
        give_up = time.monotonic() + _GIVES_UP_S
        while True:
            answer = send()
            if 200 <= answer.status < 300 or answer.status in fine:
                return answer
            if time.monotonic() > give_up:
                self.seen.wrong.append(f"{self.name} gave up after {_GIVES_UP_S:g} s: {answer}")
                return answer
            asked = float(answer.retry_after or 0)
            time.sleep(min(max(asked, _PAUSE_S), _MOST_PAUSE_S) * self.chance.uniform(0.5, 1))


class Talker(_Persistent):
    """A user of a character: says, asks, states facts, corrects and forgets them."""

    def __init__(self, name: str, token: str, port: int, seen: Seen) -> None:
        super().__init__(name, seen, Line(port, {"Authorization": f"Bearer {token}"}, seen))
        #: Message → reply, by their ids, in the order in which they were answered; and texts.
        self.answered: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        #: Key of a fact → its object, as was accepted last.
        self.facts: dict[str, str] = {}
        self.forgotten: list[str] = []
        self._number = 0

    def deeds(self) -> Sequence[Callable[[], None]]:
        return (self.say, self.say, self.say, self.ask, self.state, self.correct, self.forget)

    def say(self) -> None:
        self._number += 1
        identity = f"{self.name}-{self._number}"
        text = self.texts[identity] = f"{self.chance.choice(_SAID)} ({identity})"
        given = {"text": text, "message_id": identity}
        answer = self.try_until(
            lambda: self.line.send("POST", "/api/characters/mina/messages", given)
        )
        if answer.status == 200:
            self.answered[identity] = answer.body["id"]
            self.done["say"] += 1

    def ask(self) -> None:
        """Ask for a fact that was accepted: a success without it has nothing behind it."""
        if not self.facts:
            return
        key = self.chance.choice(sorted(self.facts))
        answer = self.try_until(lambda: self.line.send("GET", f"/api/memories/mina/{key}"), 404)
        found = answer.body["memory"]["object"] if answer.status == 200 else None
        if answer.status in (200, 404) and found != self.facts[key]:
            self.seen.wrong.append(
                f"{self.name} was told {self.facts[key]!r} is kept; {found!r} is"
            )
        self.done["ask"] += answer.status == 200

    def state(self) -> None:
        thing = self._thing()
        given = {"predicate": self.chance.choice(_PREDICATES), "object": thing}
        self._change("state", thing, lambda: self.line.send("POST", "/api/memories/mina", given))

    def correct(self) -> None:
        if not self.facts:
            return
        key, thing = self.chance.choice(sorted(self.facts)), self._thing()
        before = self.facts.pop(key)

        def send() -> Answer:
            found = self._find(thing)
            if found.status == 200 and found.body is not None:
                self.seen.done_all_the_same["correct"] += 1
                return Answer(200, {"memory": found.body})
            if found.status != 200:
                return found
            return self.line.send("PUT", f"/api/memories/mina/{key}", {"object": thing})

        if self._change("correct", thing, send):
            self.forgotten.append(before)

    def forget(self) -> None:
        if len(self.facts) < 3:
            return
        key = self.chance.choice(sorted(self.facts))
        thing = self.facts.pop(key)
        path = f"/api/memories/mina/{key}?for_good=true"
        answer = self.try_until(lambda: self.line.send("DELETE", path), 404)
        if answer.status in (200, 404):
            self.forgotten.append(thing)
            self.done["forget"] += 1

    def _thing(self) -> str:
        self._number += 1
        return f"thing {self.name} {self._number}"

    def _find(self, thing: str) -> Answer:
        """Return the memory with an object; None for none."""
        page = 1
        while True:
            path = f"/api/memories/mina?layer=semantic&limit=100&page={page}"
            answer = self.line.send("GET", path)
            if answer.status != 200:
                return answer
            for row in answer.body["items"]:
                if row["object"] == thing:
                    return Answer(200, row)
            if page * 100 >= answer.body["total"]:
                return Answer(200, None)
            page += 1

    def _change(self, what: str, thing: str, send: Callable[[], Answer]) -> bool:
        answer = self.try_until(send, 404)
        if 200 <= answer.status < 300 and answer.body.get("memory"):
            self.facts[answer.body["memory"]["id"]] = thing
            self.done[what] += 1
            return True
        self.seen.wrong.append(f"{self.name} could not {what}: {answer}")
        return False

    def check(self) -> list[str]:
        """Compare what was accepted with what the server tells now."""
        rows, page, total = [], 1, 1
        while (page - 1) * 100 < total:
            path = f"/api/memories/mina?layer=semantic&limit=100&page={page}"
            answer = self.try_until(partial(self.line.send, "GET", path))
            rows += answer.body["items"]
            total, page = answer.body["total"], page + 1
        told = Counter(row["object"] for row in rows)
        wrong = [f"{self.name}: lost {one!r}" for one in self.facts.values() if not told[one]]
        wrong += [f"{self.name}: {one!r} twice" for one, count in told.items() if count > 1]
        wrong += [f"{self.name}: {one!r} is not forgotten" for one in self.forgotten if told[one]]
        return wrong


class Owner(_Persistent):
    """An agent of the owner over MCP: remembers, searches, corrects and forgets in a scope of its
    own.
    """

    def __init__(self, name: str, token: str, port: int, seen: Seen) -> None:
        super().__init__(name, seen, Line(port, {"Authorization": f"Bearer {token}"}, seen))
        self._path = f"/mcp?scope=agent:{name}"
        self.kept: list[str] = []
        self.forgotten: list[str] = []
        self._number = 0

    def deeds(self) -> Sequence[Callable[[], None]]:
        return (self.remember, self.remember, self.ask, self.correct, self.forget)

    def call(self, tool: str, **given: object) -> Answer:
        """Call a tool; a refusal is an answer of 503 to be tried again, with its text."""
        self._number += 1
        params = {"name": tool, "arguments": given}
        asked = {"jsonrpc": "2.0", "id": self._number, "method": "tools/call", "params": params}
        answer = self.line.send("POST", self._path, asked)
        if answer.status != 200:
            return answer
        result = answer.body.get("result", {})
        text = "".join(part["text"] for part in result.get("content", ()))
        if not result or "Traceback" in text:
            self.seen.wrong.append(f"{tool}: {answer.body}")
        if result.get("isError"):
            self.seen.failures[f"mcp {tool}: {_first_words(text)}"] += 1
            return Answer(503, text)
        return Answer(200, text)

    def remember(self) -> None:
        text = self._thing()

        def send() -> Answer:
            listed = self._list(text)
            if listed.status != 200 or text in listed.body:
                self.seen.done_all_the_same["remember"] += listed.status == 200
                return listed
            return self.call("memory_remember", text=text)

        if self.try_until(send).status == 200:
            self.kept.append(text)
            self.done["remember"] += 1

    def ask(self) -> None:
        if not self.kept:
            return
        text = self.chance.choice(self.kept)
        answer = self.try_until(lambda: self.call("memory_search", query=text))
        if answer.status == 200 and text not in answer.body:
            self.seen.wrong.append(f"{self.name}: {text!r} was kept, and is not found")
        self.done["search"] += answer.status == 200

    def correct(self) -> None:
        if not self.kept:
            return
        before, text = self.kept.pop(self.chance.randrange(len(self.kept))), self._thing()
        if self._confirmed("memory_correct", before, "handle", text):
            self.kept.append(text)
            self.forgotten.append(before)
            self.done["correct over MCP"] += 1

    def forget(self) -> None:
        if len(self.kept) < 3:
            return
        before = self.kept.pop(self.chance.randrange(len(self.kept)))
        if self._confirmed("memory_forget", before, "handles", ""):
            self.forgotten.append(before)
            self.done["forget over MCP"] += 1

    def _thing(self) -> str:
        self._number += 1
        return f"The {self.name} shelf {self._number:05d} holds lamps."

    def _list(self, text: str) -> Answer:
        number = next(word for word in text.split() if word.isdigit())
        return self.call("memory_list", words=number, limit=50)

    def _confirmed(self, tool: str, before: str, name: str, text: str) -> bool:
        def send() -> Answer:
            listed = self._list(before)
            if listed.status != 200:
                return listed
            line = next((one for one in listed.body.splitlines() if before in one), "")
            handle = _HANDLE.search(line)
            if handle is None:  # a try that failed was done
                shown = self._list(text) if text else Answer(200, "")
                if shown.status != 200:
                    return shown
                if text not in shown.body:
                    return Answer(0, f"neither {before!r} nor {text!r} is listed")
                self.seen.done_all_the_same[tool] += 1
                return Answer(200, "")
            given = {name: handle[0], **({"text": text} if text else {})}
            preview = self.call(tool, **given)
            found = _CONFIRM.search(str(preview.body))
            if preview.status != 200 or found is None:
                return preview if preview.status != 200 else Answer(0, preview.body)
            return self.call(tool, **given, confirm=found[1])

        return self.try_until(send).status == 200

    def check(self) -> list[str]:
        """Compare what was accepted with what the server tells now."""
        listed = self.try_until(lambda: self.call("memory_list", limit=0))
        told = Counter(re.findall(rf"The {self.name} shelf \d{{5}} holds lamps\.", listed.body))
        wrong = [f"{self.name}: lost {one!r}" for one in self.kept if not told[one]]
        wrong += [f"{self.name}: {one!r} twice" for one, count in told.items() if count > 1]
        wrong += [f"{self.name}: {one!r} is not forgotten" for one in self.forgotten if told[one]]
        return wrong


def _first_words(text: str) -> str:
    """Return what a refusal says, without names."""
    said = next((line for line in text.splitlines() if line and not line.startswith("<")), "")
    return re.sub(r"[0-9a-f]{8,}|\d+", "…", said)[:70]


def live_together(clients: Sequence[Client]) -> list[threading.Thread]:
    """Start all clients, each in a thread."""
    threads = [threading.Thread(target=client.live, daemon=True) for client in clients]
    for thread in threads:
        thread.start()
    return threads


class Held(NamedTuple):
    """What a process holds at a moment."""

    memory_mb: float
    files: int
    threads: int


def count_held(pid: int) -> Held:
    process = psutil.Process(pid)
    return Held(round(process.memory_info().rss / 1e6, 1), process.num_fds(), process.num_threads())


def find_wait(seen: Seen, moment: float) -> float | None:
    """Return how long after a moment the first request that began after it was answered with
    success; None where none was.
    """
    after = [one.ended for one in list(seen.successes) if one.begun >= moment]
    return round(min(after) - moment, 2) if after else None
