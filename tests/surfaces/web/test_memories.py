"""The pages for memories: search, put away, move, forget, history, trust, what agents were given,
and the first run.
"""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from gieok.home.resident import Resident
from gieok.hook.inject import InjectedMemory, Injection
from gieok.hook.window import ContextWindow
from gieok.surfaces.python import Memory
from gieok.testing.embedding_server import EmbeddingServer

SCRIPT = "<script>alert(1)</script> we deploy on Mondays"
LONG = "가나다라마" * 1_000


@pytest.fixture
def told(browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A browser over a memory with a record, two observations and what was said of them, a script
    and a very long word.
    """
    (tmp_path / "talk").mkdir()
    monkeypatch.setenv("GIEOK_OBSERVE_FOLDERS", str(tmp_path / "talk"))
    monkeypatch.setenv("HOME", str(tmp_path))
    rows = [
        {"role": "user", "text": text, "timestamp": f"2026-11-1{n}T09:00:00Z"}
        for n, text in enumerate(
            ("We decided to use Redis Streams.", "We decided to pay on Mondays.")
        )
    ]
    (tmp_path / "talk" / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    memory = Memory(resident=Resident())
    for text in ("Payments are retried three times.", SCRIPT, f"A long word: {LONG}"):
        memory.run("remember", text=[text], user=True)
    memory.run("observe run", once=True)
    return browser


def token(browser: TestClient) -> str:
    found = re.search(r'X-Change-Token":"([0-9a-f]+)"', browser.get("/memories").text)
    assert found
    return found[1]


def post(browser: TestClient, path: str, **data: object) -> str:
    page = browser.post(path, data={"token": token(browser), **data})
    assert page.status_code == 200, page.text
    return page.text


def handle(browser: TestClient, words: str, kind: str = "all") -> str:
    page = browser.get(f"/memories?words={quote(words)}&kind={kind}").text
    found = re.search(r'name="handle" value="([0-9a-f.]+)"', page)
    assert found, page
    return found[1]


def test_the_address_of_a_search_is_kept_and_each_hit_says_why_it_is_there(
    told: TestClient,
) -> None:
    page = told.get("/hits?q=Redis+Streams&source=observed")
    assert page.headers["hx-replace-url"] == "/?q=Redis+Streams&source=observed"
    assert "Why is this here?" in page.text
    assert '<rect class="pro"' in page.text
    assert "the words: <b>place 1</b>" in page.text
    assert page.text.count("<article") == 1  # what was said of it is no observation
    assert "~/home/memory/decision/" in told.get("/hits?q=Payments").text
    assert "likely to answer: " in page.text


def test_where_nothing_is_remembered_each_page_says_how_to_begin(browser: TestClient) -> None:
    for view in ("", "?kind=note", "?kind=turn", "?kind=all"):
        page = browser.get(f"/memories{view}", headers={"Accept-Language": "ko"})
        assert page.status_code == 200, view
        assert 'href="/first"' in page.text.partition("<main")[2], view
        assert "--kind" not in page.text, view
        assert "memory.index(" not in page.text, view
    for address in ("/", "/timeline", "/injection", "/injection?prompt=tea", "/?q=tea", "/status"):
        page = browser.get(address, headers={"Accept-Language": "ko"})
        assert page.status_code == 200, address
        assert "memory.index(" not in page.text, address


def test_a_tab_without_memories_names_no_flag_of_the_command_for_it(browser: TestClient) -> None:
    Memory(resident=Resident()).run("remember", text=["Tea is at four."], user=True)
    page = browser.get("/memories?kind=turn").text
    assert "Nothing of this kind is remembered." in page
    assert "--kind" not in page
    assert "was looked at" in browser.get("/memories?kind=turn&tag=x").text


def test_every_state_of_a_search_is_told(told: TestClient) -> None:
    for address, words in {
        "/?q=zzqqx": "Nothing answers that.",
        "/?q=zzqqx&since=2026-01-01": "Without the filters",
        "/?q=Redis&since=nonsense": "is no day",
        "/?since=2026-11-01": "<article",
        "/?q=decided&limit=1": "More",
        "/?q=Redis&source=x&limit=-5": "<article",
    }.items():
        assert words in told.get(address).text, address


def test_scripts_and_very_long_words_stay_text_on_every_page(told: TestClient) -> None:
    for path in (
        "/?q=deploy",
        "/?q=" + quote("가나다라마"),
        "/memories",
        f"/m/{handle(told, 'deploy')}",
        f"/m/{handle(told, 'long word')}",
        "/injection?prompt=deploy",
        "/first?q=deploy",
    ):
        page = told.get(path)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
    assert "3,513 characters more" in told.get(f"/m/{handle(told, 'long word')}").text


def test_the_chosen_are_put_away_listed_restored_and_each_is_undone(told: TestClient) -> None:
    chosen = [handle(told, "Redis", "observation"), handle(told, "Payments")]
    page = post(told, "/memories/act", act="retire", handle=chosen, back="/memories")
    assert "Put away: 2." in page
    assert "Undo" in page
    assert "Payments" not in told.get("/memories").text
    away = told.get("/memories?status=retired").text
    assert all(f'value="{one}"' in away for one in chosen)
    assert "Restored: 2." in post(told, "/memories/act", act="restore", handle=chosen)
    assert "Payments" in told.get("/memories").text
    assert "Choose memories first." in post(told, "/memories/act", act="retire")


def test_the_chosen_move_to_another_scope_and_back(told: TestClient) -> None:
    observed = handle(told, "Redis", "observation")
    page = post(told, "/memories/act", act="transfer", handle=[observed], to="project:shop-1")
    assert "Moved to shop: 1." in page
    moved = re.search(r'name="handle" value="(\w+)"', page)
    assert moved
    assert (
        "project:shop-1" in told.get(f"/m/{moved[1]}").text
    )  # found though another scope is shown
    assert "Redis Streams" in told.get(f"/m/{moved[1]}").text
    post(told, "/memories/act", act="transfer", handle=[moved[1]], to="agent:main")
    assert observed in told.get("/memories").text
    refused = told.post(
        "/memories/act",
        data={
            "token": token(told),
            "act": "transfer",
            "handle": handle(told, "Redis", "turn"),
            "to": "project:shop-1",
        },
    )
    assert refused.status_code == 400
    assert "belongs where it was held" in refused.text


def test_forgetting_shows_what_goes_and_then_what_went(told: TestClient) -> None:
    chosen = [handle(told, "Redis", "observation")]
    asked = post(told, "/memories/act", act="forget", handle=chosen, back=f"/m/{chosen[0]}")
    assert "<li>We decided to use Redis Streams.</li>" in asked, "in its words, not by its file"
    assert f'href="/m/{chosen[0]}">Keep</a>' in asked
    assert "Forget for good?" in asked
    assert "1 observation, 1 message" in asked
    assert "Redis" in told.get("/memories").text
    assert "Forgotten for good" in post(told, "/memories/act", act="forget", handle=chosen, yes="1")
    assert "Redis" not in told.get("/memories?kind=turn").text


def test_a_corrected_memory_shows_what_was_believed_when(told: TestClient) -> None:
    observed = handle(told, "Redis", "observation")
    page = post(told, f"/m/{observed}/edit", text="We use NATS.")
    assert "Undo the correction" in page
    assert "then corrected" in page
    assert ">current</span>" in page
    assert '<rect class="b2"' in page
    assert (
        "We decided to use Redis Streams."
        in told.get(f"/m/{observed}?on=2026-11-12").text.partition('role="status"')[2]
    )
    assert "Nothing of it was known then." in told.get(f"/m/{observed}?on=2026-01-01").text
    assert "We decided to use Redis Streams." in page.partition("Why do you know this?")[2]
    assert "important" in post(told, f"/m/{observed}/edit", text="We use NATS.", important="1")
    assert told.get("/m/ffffffff").status_code == 400


@pytest.mark.parametrize("kind", ["observation", "turn", "record"])
def test_a_memory_that_an_agent_corrected_opens_and_says_so(told: TestClient, kind: str) -> None:
    words = "three times" if kind == "record" else "Redis"
    edit = {"text": ["We use NATS."], "by_agent": True}
    Memory(resident=Resident()).run("edit", handle=handle(told, words, kind), **edit)
    page = told.get(f"/m/{handle(told, 'NATS', kind)}")
    assert page.status_code == 200
    history = page.text.partition('id="history"')[2]
    assert "corrected through an agent" in history
    assert "corrected by you" not in history


def test_a_memory_leads_to_its_session_and_to_what_may_contradict_it(told: TestClient) -> None:
    for port in (8443, 9443):
        post(told, "/remember", text=f"The staging database is on port {port}.", to="agent:main")
    post(told, "/remember", text="The office plant needs water.", to="agent:main")
    page = told.get(f"/m/{handle(told, 'port 8443', 'record')}").text
    other = handle(told, "port 9443", "record")
    notes = re.findall(r'<p class="note other">(.*?)</p>', page, re.DOTALL)
    assert len(notes) == 1
    assert f'href="/m/{other}">The staging database is on port 9443.</a>' in notes[0]
    assert "May contradict it:" not in told.get(f"/m/{handle(told, 'plant')}").text
    same = (
        "The staging database listens on port 8443.",
        "Payments are retried three times at night.",
    )
    for text in same:
        post(told, "/remember", text=text, to="agent:main")
    again = told.get(f"/m/{handle(told, 'is on port 8443', 'record')}").text
    others = re.findall(r'<p class="note other">(.*?)</p>', again, re.DOTALL)
    assert ["port 9443" in one for one in others] == [True], "what says the same is no other word"
    retried = told.get(f"/m/{handle(told, 'Payments are retried three times.', 'record')}").text
    assert "May contradict it:" not in retried
    observed = told.get(f"/m/{handle(told, 'Redis', 'observation')}").text
    session = re.search(r'href="(/timeline/session\?scope=[^"]+)">The whole session</a>', observed)
    assert session
    whole = told.get(html.unescape(session[1])).text
    assert "We decided to use Redis Streams." in whole
    assert "We decided to pay on Mondays." in whole


def _make_project(folder: Path, text: str) -> str:
    """Make a folder a project with one record; return its scope."""
    (folder / ".git").mkdir(parents=True)
    memory = Memory(folder, resident=Resident())
    return str(memory.run("remember", text=[text]).scope)


def test_the_workbench_tries_a_prompt_in_the_project_that_is_chosen(
    told: TestClient, tmp_path: Path
) -> None:
    shop = _make_project(tmp_path / "shop", "The staging database is on port 7443.")
    blog = _make_project(tmp_path / "blog", "The staging database is on port 9443.")
    prompt = quote("on which port is the staging database?")

    def find_given(more: str, asked: str = prompt) -> set[str]:
        page = told.get(f"/injection?prompt={asked}{more}").text
        return set(re.findall("7443|9443|three times", page.partition("It would be given")[2]))

    assert find_given("") == set()
    assert find_given(f"&in={shop}") == {"7443"}
    assert find_given(f"&in={blog}") == {"9443"}
    page = told.get(f"/injection?prompt={prompt}&in={shop}").text
    assert f'<option value="{shop}" selected>shop</option>' in page
    # what is the person's own is given in every project
    payments = quote("how often are payments retried?")
    assert find_given(f"&in={shop}", payments) == {"three times"}
    told.get(f"/scope?scope={blog}")
    assert find_given("") == {"9443"}
    assert find_given(f"&in={shop}") == {"7443"}
    assert find_given("", payments) == {"three times"}


def _add_form(page: str) -> dict[str, str]:
    """Return the hidden fields of the form that adds a memory."""
    form = page.partition('<details class="add">')[2].partition("</form>")[0]
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form)
    return {name: html.unescape(value) for name, value in fields}


def test_what_is_added_after_a_change_offers_to_undo_nothing_but_itself(told: TestClient) -> None:
    redis = handle(told, "Redis", "observation")
    put_away = post(told, "/memories/act", act="retire", handle=redis, back="/memories?kind=all")
    assert f'name="handle" value="{redis}"' in put_away.partition('class="undo"')[2]
    added = told.post("/remember", data=_add_form(put_away) | {"text": "Tea is at four."})
    assert "Tea is at four." in added.text
    assert 'class="undo"' not in added.text
    assert added.url.path == "/memories"
    assert added.url.params.get("kind") == "all", "the page that was there"
    for name in ("undo", "handles", "to", "before", "refused", "kept_back"):
        page = told.get(f"/memories?words=tea&{name}=retire").text
        assert _add_form(page)["back"] == "/memories?words=tea"


def test_what_cannot_be_added_stays_in_the_form_with_the_reason(told: TestClient) -> None:
    long = "차는 네 시에 마신다. " * 400
    assert len(long) > 4_000
    for to, reason in (
        ("project:gone-1234", "nothing can be remembered for &#39;project:gone-1234&#39;"),
        ("user:kim/character:mina", "nothing can be remembered for"),
        ("", "nothing can be remembered for"),
    ):
        sent = {"token": token(told), "text": long, "to": to, "back": "/timeline"}
        answer = told.post("/remember", data=sent)
        assert answer.status_code == 400
        assert reason in html.unescape(answer.text).replace("'", "&#39;")
        main = answer.text.partition("<main")[2].partition("</main>")[0]
        kept = re.search(r'<textarea name="text"[^>]*>([^<]*)</textarea>', main)
        assert kept
        assert kept[1] == long.strip()
        assert 'value="/timeline"' in main
        assert "selected" not in main, "no other scope is chosen instead"
    assert Memory(resident=Resident()).run("list", words=["네 시에"]).memories == ()
    blank = {"token": token(told), "text": " \n ", "back": "/timeline"}
    assert "This was not remembered" in told.post("/remember", data=blank).text


@pytest.fixture
def service() -> Iterator[EmbeddingServer]:
    """A service on this machine that counts what it is asked."""
    made = EmbeddingServer(lambda text: [3.0, 4.0, float(len(text)), 1.0])
    yield made
    made.shutdown()
    made.server_close()


def test_of_an_exchange_the_sentence_that_may_contradict_is_shown(
    told: TestClient, tmp_path: Path
) -> None:
    said = (("user", "The staging database moved to port 8443."), ("assistant", "Very well."))
    rows = [
        {"role": role, "text": text, "timestamp": f"2026-11-10T09:0{n}:00Z"}
        for n, (role, text) in enumerate(said)
    ]
    (tmp_path / "talk" / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    memory = Memory(resident=Resident())
    memory.run("observe run", once=True)
    memory.run("remember", text=["The staging database is on port 9443."], user=True)
    page = told.get(f"/m/{handle(told, 'on port 9443', 'record')}").text
    others = re.findall(r'<p class="note other">.*?<a href="[^"]+">([^<]*)</a>', page, re.DOTALL)
    assert others == ["The staging database moved to port 8443."]
    (tmp_path / "ports").mkdir()
    (tmp_path / "ports" / "a.md").write_text("- The staging database listens on port 5432.\n")
    memory.run("index", paths=[str(tmp_path / "ports")])
    page = told.get(f"/m/{handle(told, 'on port 9443', 'record')}").text
    assert ">The staging database listens on port 5432.</a>" in page, "without the mark of an item"
    # the first request of a session is shown without the mark of its correction
    turn = handle(told, "moved to port 8443", "turn")
    post(told, f"/m/{turn}/edit", text="The staging database moved to port 7443.")
    sessions = told.get("/").text.partition("Last sessions")[2].partition("</section>")[0]
    assert ">The staging database moved to port 7443.</a>" in sessions


def test_a_memory_that_stood_in_the_text_of_a_sessions_start_was_given(
    told: TestClient, tmp_path: Path
) -> None:
    mine, other = (handle(told, words, "observation") for words in ("Redis", "Mondays"))
    assert "no prompt was given it lately" in told.get(f"/m/{mine}").text
    window = ContextWindow(str(tmp_path / "home"), "claude-code", "s1")
    text = f"- 2026-11-10 Use Redis. (replaced on 2026-11-11, by {other}, {mine})"
    window.keep("session-start", Injection(text, [], 9), 1_000_000.0)
    assert "given to an agent in 1 session<" in told.get(f"/m/{mine}").text
    assert "no prompt was given it lately" in told.get(f"/m/{other}").text
    window.empty(1_000_001.0)  # a compaction takes it out of the context, not out of the past
    assert "given to an agent in 1 session<" in told.get(f"/m/{mine}").text


def test_of_one_scope_no_scope_is_asked_for_or_named(told: TestClient) -> None:
    for path in ("/", "/?q=Redis", "/memories", "/timeline", "/injection", "/hits?q=Redis"):
        page = told.get(path).text.partition("<dialog")[0]
        assert "yours, in all projects" not in page, path
        assert '<select name="in"' not in page, path
    page = told.get("/memories").text
    assert "Move there" not in page
    assert '<input type="hidden" name="to" value="agent:main">' in page
    assert "Move there" not in told.get(f"/m/{handle(told, 'Payments')}").text
    Memory(resident=Resident(), scope="agent:helper").add("The helper closes tickets.")
    for path in ("/?q=Redis", "/memories", "/timeline"):
        assert "yours, in all projects" in told.get(path).text.partition("<dialog")[0], path
    assert "Move there" in told.get(f"/m/{handle(told, 'Payments')}").text


def test_a_note_is_corrected_in_its_file(told: TestClient, tmp_path: Path) -> None:
    (tmp_path / "diary").mkdir()
    (tmp_path / "diary" / "rent.md").write_text("The rent is 900.\n")
    Memory(resident=Resident()).run("index", paths=[str(tmp_path / "diary")])
    page = told.get(f"/m/{handle(told, 'rent', 'note')}").text
    assert "This is a file of yours: correct it there." in page
    assert "line of the conversation" not in page


def test_to_open_a_memory_asks_no_service_of_models(
    told: TestClient, service: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("EMBEDDER", "RERANKER"):
        monkeypatch.setenv(f"GIEOK_{name}", "compatible")
        monkeypatch.setenv(f"GIEOK_{name}_MODEL", "some-model")
        monkeypatch.setenv(f"GIEOK_{name}_BASE_URL", service.url)
    # what is searched for is asked of the service
    assert "retried" in told.get("/?q=retried").text
    assert service.requests
    other = "Payments are retried five times."
    Memory(resident=Resident()).run("remember", text=[other], user=True)
    (row,) = Memory(resident=Resident()).run("list", words=["three times"], kind="record").memories
    service.requests.clear()
    page = told.get(f"/m/{row.handle}").text
    assert "May contradict it:" in page
    assert other in page
    assert service.requests == []


def test_a_note_is_shown_as_it_reads_and_a_record_of_the_user_can_move(told: TestClient) -> None:
    memory = Memory(resident=Resident())
    folder = Path(str(memory.call.caller.user)) / "notes"
    folder.mkdir()
    (folder / "door.md").write_text("# Door\n\n- The **umbrella** is `wet`\n\n<b>loud</b>\n")
    memory.run("index", paths=[str(folder)])
    Memory(resident=Resident(), scope="agent:helper").add("The helper closes tickets.")
    page = told.get(f"/m/{handle(told, 'umbrella', 'note')}").text
    assert '<p class="md-heading">Door</p>' in page
    assert '<p class="md-item">The <strong>umbrella</strong> is <code>wet</code></p>' in page
    assert "&lt;b&gt;loud&lt;/b&gt;" in page
    assert 'value="transfer"' not in page
    assert 'value="retire"' not in page
    record = told.get(f"/m/{handle(told, 'Payments', 'record')}").text
    assert 'value="transfer"' in record
    assert 'value="retire"' in record


def test_five_targets_stand_at_the_bottom_of_a_phone_and_korean_has_its_fonts(
    told: TestClient,
) -> None:
    page = told.get("/memories").text.partition("<nav")[2].partition("</nav>")[0]
    items = re.findall(r"<li(?: class=\"(\w+)\")?>", page.partition("<details")[0])
    assert items == ["", "", "", "", "minor", "minor", "minor", "others"]
    folded = page.partition("<details")[2]
    assert re.findall(r'href="([^"]+)"', folded) == ["/characters", "/code", "/status"]
    css = told.get("/static/gieok.css").text
    korean = css.partition(":root:lang(ko)")[2].partition("}")[0]
    assert korean.index("Apple SD Gothic Neo") < korean.index("system-ui")
    assert "Malgun Gothic" in korean
    assert "Noto Sans KR" in korean


def test_what_a_project_brought_along_is_read_and_trusted_exactly(
    told: TestClient, tmp_path: Path
) -> None:
    record = tmp_path / "work" / ".gieok" / "memory" / "decision" / "tabs.md"
    record.parent.mkdir(parents=True)
    record.write_text("# Tabs\n\nWe indent with tabs.\u202e\n")
    page = told.get("/trust").text
    assert "We indent with tabs.&lt;U+202E&gt;" in page
    exactly = re.search(r'name="exactly" value="(\w+)"', page)
    assert exactly
    record.write_text("# Tabs\n\nWe indent with spaces.\n")
    assert (
        told.post("/trust", data={"token": token(told), "exactly": exactly[1]}).status_code == 400
    )
    exactly = re.search(r'name="exactly" value="(\w+)"', told.get("/trust").text)
    assert exactly
    assert "Nothing waits" in post(told, "/trust", exactly=exactly[1])


def test_injections_are_stepped_through_and_lead_to_their_memories(
    told: TestClient, tmp_path: Path
) -> None:
    known = handle(told, "Payments")
    window = ContextWindow(str(tmp_path / "home"), "claude-code", "s")
    for n in range(3):
        memory = InjectedMemory(
            title="Payments",
            citation="",
            text="three times",
            handle=known,
            score=(0.7, 0.36, 0.36)[n],
        )
        window.keep("prompt", Injection(f"- text {n} ({known})", [memory], 40 + n), 1_000.0 + n)
    page = told.get("/injection").text
    assert "text 2" in page
    assert f'<a href="/m/{known}">{known}</a>' in page
    assert "1 of 3" in page
    # as sure as a search says of the same likelihood
    assert '<b class="sure medium">unsure</b>' in page
    first = told.get("/injection?n=3").text
    assert "text 0" in first
    assert '<b class="sure high">sure</b>' in first
    assert told.get("/injection?n=99").status_code == 200


def test_what_a_given_line_was_said_to_be_is_in_the_readers_language_and_stands_once(
    told: TestClient, tmp_path: Path
) -> None:
    status = "unsure; said earlier; perhaps changed by what was said on 2026-09-27: b5c8950f.1"
    memory = InjectedMemory(
        title="Payments",
        citation="",
        text="x",
        handle=handle(told, "Payments"),
        status=status,
        score=0.9,
    )
    window = ContextWindow(str(tmp_path / "home"), "claude-code", "s")
    window.keep("prompt", Injection("- x", [memory], 4), 1_000.0)
    page = told.get("/injection", headers={"Accept-Language": "ko"}).text
    assert '<b class="sure medium">' in page, "no surer than the agent was told"
    chip = page.partition('<span class="chip warn">')[2].partition("</span>")[0]
    assert chip == "전에 한 말. 2026-09-27에 한 말로 바뀐 듯함: b5c8950f.1"


def test_an_injection_leads_to_the_prompt_and_the_session_that_it_was_for(
    told: TestClient, tmp_path: Path
) -> None:
    (said,) = (
        m
        for m in Memory(resident=Resident()).run("why", id=handle(told, "Redis", "turn")).said
        if "Redis" in m.text
    )
    window = ContextWindow(str(tmp_path / "home"), said.agent, said.session)
    window.keep("prompt", Injection("- something", [], 9), said.at.timestamp() + 1)
    page = told.get("/injection").text
    assert (
        "We decided to use Redis Streams."
        in page.partition("blockquote")[2].partition("/blockquote")[0]
    )
    address = re.search(r'href="(/timeline/session[^"]+)"', page)
    assert address
    assert "Redis Streams" in told.get(address[1].replace("&amp;", "&")).text


def test_the_workbench_says_of_each_candidate_what_became_of_it(told: TestClient) -> None:
    page = told.get("/injection?prompt=How+often+are+payments+retried%3F&limit=1&mode=full").text
    assert "The first must be at least" in page
    assert '<span class="chip good">shown</span>' in page
    assert "<memory-context" not in page
    assert "Nothing: it stays silent." in told.get("/injection?prompt=hi").text


def test_a_folder_and_conversations_are_taken_in_from_an_empty_home(
    browser: TestClient, tmp_path: Path
) -> None:
    jobs = browser.app.state.site.jobs
    assert "Nothing is remembered yet" in browser.get("/").text
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "door.md").write_text("# Door\n\nThe umbrella stands behind the door.\n")
    data = {"token": re.search(r'X-Change-Token":"([0-9a-f]+)"', browser.get("/").text)[1]}
    browser.post("/first/index", data={**data, "folder": str(tmp_path / "nowhere")})
    jobs.wait()
    assert "no such file or folder" in browser.get("/first/progress").text
    browser.post("/first/index", data={**data, "folder": str(tmp_path / "notes")})
    jobs.wait()
    done = browser.get("/first/progress").text
    assert "1 added" in done
    assert "hx-trigger" not in done
    assert "umbrella" in browser.get("/first?q=umbrella").text
    (tmp_path / "notes" / "roof.md").write_text("The ladder stands behind the roof.\n")
    korean = {"Accept-Language": "ko"}
    browser.post("/first/index", data={**data, "folder": str(tmp_path / "notes")}, headers=korean)
    jobs.wait()
    assert re.search("[가-힣]", jobs.last.progress), "in the language of who pressed the button"
    assert not re.search("[A-Za-z]", jobs.last.progress)
    browser.post("/first/talk", data=data)
    jobs.wait()
    assert 'chip bad">failed' not in browser.get("/first").text


def test_what_is_added_for_oneself_makes_no_project(browser: TestClient, tmp_path: Path) -> None:
    page = post(browser, "/remember", text="Payments are retried three times.")
    assert "What an agent is given" in page
    assert not (tmp_path / "work" / ".gieok").exists()
    added = post(browser, "/remember", text="Tea at four.", to="agent:main", back="/timeline")
    assert "Remembered: Tea at four." in added
    assert not (tmp_path / "work" / ".gieok").exists()
    assert "Tea at four." in browser.get("/memories?in=agent:main").text


def test_a_record_that_makes_a_project_is_seen_and_its_scope_is_chosen(browser: TestClient) -> None:
    Memory().run("remember", text=["Payments are retried three times."])
    assert re.search(
        r'<option value="project:work-\w+">work</option>', browser.get("/?q=retried").text
    )
    browser.get("/scope?scope=agent:main&back=/memories")
    assert "Payments" not in post(browser, "/remember", text="Answer in Korean.")
    assert "Answer in Korean" in browser.get("/memories?in=agent:main").text


def test_a_memory_is_added_from_every_page_for_whom_one_chooses(browser: TestClient) -> None:
    Memory().run("remember", text=["Payments are retried three times."])
    page = browser.get("/timeline?day=2026-01-01").text
    form = page.partition('<details class="add">')[2].partition("</details>")[0]
    assert 'action="/remember"' in form
    own = re.search(r'<option value="(project:work-\w+)" selected>work</option>', form)
    assert own
    assert '<option value="agent:main">yours, in all projects</option>' in form
    back = "/timeline?day=2026-01-01"
    added = browser.post(
        "/remember",
        data={"token": token(browser), "text": "I like tea.", "to": "agent:main", "back": back},
    )
    assert "told=Remembered+%28yours%2C+in+all+projects%29%3A+I+like+tea.&" in str(added.url)
    assert "Remembered (yours, in all projects): I like tea." in added.text
    assert added.url.path == "/timeline"
    assert "I like tea." in browser.get("/memories?in=agent:main").text
    assert "I like tea." not in browser.get(f"/memories?in={own[1]}").text
    again = post(browser, "/remember", text="I like tea.", to="agent:main", back=back)
    assert "It was known already: I like tea." in again
    outside = browser.post(
        "/remember",
        data={"token": token(browser), "text": "x y", "back": "//elsewhere.example"},
        follow_redirects=False,
    )
    assert outside.headers["location"].startswith("/?told=")


def test_what_was_learned_comes_first_and_notes_and_talk_stand_beside(told: TestClient) -> None:
    memory = Memory(resident=Resident())
    folder = Path(str(memory.call.caller.user)) / "notes"
    folder.mkdir()
    (folder / "door.md").write_text("# Door\n\nThe umbrella stands behind the door.\n")
    memory.run("index", paths=[str(folder)])
    learned, notes, said, every = (
        told.get(f"/memories{query}").text
        for query in ("", "?kind=note", "?kind=turn", "?kind=all")
    )
    for page, has in ((learned, "Payments are"), (notes, "umbrella"), (said, "We decided to pay")):
        assert has in page
        assert has in every
    assert "umbrella" not in learned
    assert "Payments are" not in notes
    assert "umbrella" not in said
    assert "We decided to use Redis Streams." in learned, "what was observed of what was said"
    listed = memory.run("list", kind="learned", everywhere=True, limit=50).memories
    shown = re.findall(r'name="handle" value="([\w.]+)"', learned)
    assert shown == [row.handle for row in listed]
    assert {row.kind for row in listed} == {"observation", "record"}


def test_an_agent_is_connected_from_the_first_page(
    browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".claude").mkdir()
    data = {"token": re.search(r'X-Change-Token":"([0-9a-f]+)"', browser.get("/").text)[1]}
    assert 'value="claude-code"' in browser.get("/first").text
    assert (
        "claude-code is connected"
        in browser.post("/install", data={**data, "agent": "claude-code"}).text
    )
    assert "hooks" in (tmp_path / ".claude" / "settings.json").read_text()
    assert "is no agent" in browser.post("/install", data={**data, "agent": "nobody"}).text


def test_words_that_are_no_time_and_what_was_not_looked_at_are_said(told: TestClient) -> None:
    page = told.get("/?q=quasars+several+weeks+ago&source=sessions").text
    assert "“several weeks ago” was not taken as a time" in page
    assert "But not everything was looked at:" in page
    assert "the filter “of what: conversations” left the rest out" in page
    tried = told.get("/injection?prompt=which+quasar+was+it+several+weeks+ago").text
    assert "Not taken as a time" in tried
    filtered = told.get("/memories?kind=turn&words=quasar&tag=x").text
    assert "the filter “tag: x” left the rest out" in filtered


def test_no_page_names_an_option_of_the_command_line(told: TestClient) -> None:
    Memory(scope="agent:helper").add("The helper closes tickets on Fridays.")
    for lang, named in (("en", "agent helper"), ("ko", "에이전트 helper")):
        pages = {
            address: told.get(address, headers={"Accept-Language": lang}).text
            for address in (
                "/?q=quasar&tag=nothing",
                "/?q=quasar&tag=%23",
                "/?q=quasar&agent=%23&in=agent:main",
                "/?q=quasar&in=agent:main",
                "/memories?tag=nothing",
                "/memories?tag=%23",
            )
        }
        for address, page in pages.items():
            main = page.partition("<main")[2].partition("</main>")[0]
            assert not re.findall(r"--[a-z가-힣]+", main), (lang, address)
        assert named in pages["/?q=quasar&in=agent:main"].partition('id="hits"')[2], lang


def test_a_filter_that_is_refused_is_not_said_to_fit_nothing(told: TestClient) -> None:
    page = told.get("/memories?tag=%23").text
    assert "tag is &#39;#&#39;" in page
    assert "Nothing fits these filters." not in page
