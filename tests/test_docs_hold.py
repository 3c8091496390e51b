"""What the documents tell people to type, to set and to read is there: commands, settings, texts of
errors, pages.
"""

import re
import runpy
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

import gieok
from gieok.agents.table import EVENTS
from gieok.code.model import document_names
from gieok.commands import NAMES
from gieok.errors import GieokError
from gieok.settings import conversions, synonyms
from gieok.settings.table import OPTIONS
from gieok.surfaces.arguments import read_command_line
from gieok.surfaces.bare_question import read_bare_question
from gieok.surfaces.commands import SERVERS
from gieok.surfaces.parser import CommandParser, of_command
from gieok.surfaces.web import site
from gieok.text.catalogues import list_translations
from gieok.text.messages import translate

_ROOT = Path(__file__).parents[1]
_PAGES = [*_ROOT.glob("*.md"), *(_ROOT / "docs").glob("*.md")]
#: Of the past, and of other programs.
_NOT_TYPED = ("CHANGELOG.md", "CONTRIBUTING.md", "AGENTS.md")
_SETTINGS = {option.name for option in OPTIONS}
_GROUPS = {name.partition(".")[0] for name in _SETTINGS if "." in name}
#: Names of the documents that Gieok was made from: it understands them, or says what there is
#: instead.
_OF_DOCUMENTS = {
    *synonyms.NAMES,
    *synonyms.CAPS_OF_A_RUN,
    *synonyms.INSTEAD,
    *conversions.CONVERTED,
    *document_names.COUNTS,
    *document_names.SWITCHES,
    *document_names.WITHOUT_COUNTERPART,
}
#: What a person chooses stands for itself: `NAME`, `이름`, `…`, `<id>`.
_CHOSEN = re.compile(r"[\"A-Z가-힣…<\[|]")
#: A shell's words, not ours.
_OF_OTHERS = {"command not found: gieok"}


@cache
def _commands() -> dict[tuple[str, ...], set[str]]:
    """Return the words of each command → the options that it takes."""
    names = [*NAMES, *SERVERS, *(f"hook {event}" for event in EVENTS)]
    own = {(): {"-V", "--version", "-h", "--help"}, ("help",): set()}
    return own | {
        tuple(name.split()): {
            flag for action in _parser(name)._actions for flag in action.option_strings
        }
        for name in names
    }


@cache
def _parser(name: str) -> CommandParser:
    return of_command(name, "en", _told)


def _told(error: GieokError) -> int:
    raise error


def _blocks(text: str) -> tuple[list[str], list[tuple[str, str]], str]:
    """Return the lines of code, the fenced blocks by their language, and the prose of a
    document.
    """
    fenced = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    indented = [line[4:] for line in prose.splitlines() if line.startswith("    ")]
    lines = [
        line
        for lang, block in fenced
        if lang in ("", "console", "sh", "bash")
        for line in block.splitlines()
    ]
    return (
        lines + indented,
        fenced,
        "\n".join(line for line in prose.splitlines() if not line.startswith("    ")),
    )


def _typed(lines: list[str]) -> Iterator[list[str]]:
    """Yield the words of each call of gieok in lines of code."""
    for line in lines:
        for part in re.split(r"\s(?:&&|\|\||;|\|)\s", re.sub(r"\s#\s.*", "", line)):
            found = re.match(r"(?:\S*\$ )?(?:[A-Z_]+=\S* )*gieok (.*)", part.strip())
            if found:
                yield shlex.split(re.sub(r"\s[<>]\s*\S+$", "", found[1]))


def test_every_command_of_a_code_block_is_one_and_parses() -> None:
    wrong: list[str] = []
    seen: set[tuple[str, ...]] = set()
    for page in (page for page in _PAGES if page.name not in _NOT_TYPED):
        for words in _typed(_blocks(page.read_text(encoding="utf-8"))[0]):
            if tuple(words) in seen:
                continue
            seen.add(tuple(words))
            line = read_command_line(words)
            line = read_bare_question(line) or line
            if tuple(line.name.split()) not in _commands():
                wrong.append(f"{page.name}: gieok {shlex.join(words)}: no such command")
            elif not line.is_help and line.name and not line.name.startswith(("hook ", "help")):
                try:
                    _parser(line.name).parsed(line.arguments)
                except GieokError as error:
                    wrong.append(f"{page.name}: gieok {shlex.join(words)}: {error}")
    assert not wrong, "\n".join(wrong)
    assert len(seen) > 150


def test_every_command_and_flag_that_a_sentence_names_is_there() -> None:
    wrong = []
    for page in (page for page in _PAGES if page.name not in _NOT_TYPED):
        for code in re.findall(r"`gieok ([^`]+)`", _blocks(page.read_text(encoding="utf-8"))[2]):
            for call in re.split(r", gieok |\|gieok ", code.replace("\\|", "|")):
                wrong += [f"{page.name}: {call}: {why}" for why in _faults(call)]
    assert not wrong, "\n".join(wrong)


def _faults(call: str) -> list[str]:
    words = [word for word in call.split() if not word.startswith("-")]
    groups = {name[:1] for name in _commands()}
    known = next(
        (tuple(words[:n]) for n in (2, 1, 0) if tuple(words[:n]) in {*_commands(), *groups}), ()
    )
    more = words[len(known) :]
    is_group = known in groups and known not in _commands()
    if more and (is_group or not known) and not _CHOSEN.match(more[0]):
        return [f"no such command: {more[0]}"]
    flags = set[str]().union(
        *(flags for name, flags in _commands().items() if name[: len(known)] == known)
    )
    return [
        f"no option {flag}"
        for flag in re.findall(r"(?<!\S)-{1,2}[a-zA-Z][a-z-]*", call)
        if flag not in flags
    ]


def test_every_setting_that_is_named_is_there() -> None:
    wrong = []
    for page in (page for page in _PAGES if page.name != "CHANGELOG.md"):
        _, fenced, prose = _blocks(page.read_text(encoding="utf-8"))
        for name in re.findall(r"`([a-z_]+\.[a-z_]+)(?:: [^`]*)?`", prose):
            is_setting = name.partition(".")[0] in _GROUPS and not re.search(
                r"\.(md|py|json|yaml|sqlite|lock|log|txt|js|toml)$", name
            )
            is_known = name in _SETTINGS or name in _OF_DOCUMENTS
            wrong += [f"{page.name}: {name}"] if is_setting and not is_known else []
        for text in (
            text for lang, text in fenced if lang == "yaml" and not page.name.startswith("setup")
        ):
            names = set(_flat(yaml.safe_load(text)))
            wrong += [
                f"{page.name}: {name}"
                for name in names
                if name not in _SETTINGS and not name.startswith("redact.rules")
            ]
    assert not wrong, "\n".join(wrong)


def _flat(node: object, before: str = "") -> Iterator[str]:
    if isinstance(node, dict):
        for name, value in node.items():
            yield from _flat(value, f"{before}{name}.")
    else:
        yield before.removesuffix(".")


def test_every_text_that_troubleshooting_quotes_is_in_the_source() -> None:
    source = "\n".join(
        file.read_text(encoding="utf-8")
        for file in (_ROOT / "src").rglob("*")
        if file.suffix in (".py", ".html")
    )
    source += "\n".join(text for pair in list_translations("ko").items() for text in pair)
    wrong = []
    for name in ("troubleshooting.md", "troubleshooting.ko.md"):
        for row in re.findall(
            r"^\| ([^|]+) \|", (_ROOT / "docs" / name).read_text(encoding="utf-8"), re.MULTILINE
        ):
            for quoted in set(re.findall(r"`([^`]+)`", row)) - _OF_OTHERS:
                parts = [part.strip() for part in quoted.split("…") if len(part.strip()) > 3]
                wrong += [f"{name}: {part}" for part in parts if part not in source]
    assert not wrong, "\n".join(wrong)


def test_every_good_message_on_the_page_of_style_is_one_of_the_program() -> None:
    source = "\n".join(file.read_text(encoding="utf-8") for file in (_ROOT / "src").rglob("*.py"))
    rows = re.findall(
        r"^\| [^|]+ \| ([^|]+) \|$",
        (_ROOT / "docs" / "style.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    quoted = [text for row in rows for text in re.findall(r"`([^`]+)`", row)]
    parts = [part.strip() for text in quoted for part in text.split("…") if len(part.strip()) > 5]
    assert len(parts) >= 10
    assert not [part for part in parts if part not in source]


def test_every_page_that_the_program_names_is_there() -> None:
    named = {
        name
        for file in (_ROOT / "src").rglob("*.py")
        for name in re.findall(r"docs/[\w.-]+\.md", file.read_text(encoding="utf-8"))
    }
    assert named
    assert not [name for name in named if not (_ROOT / name).exists()]


def test_every_page_is_in_the_contents_of_the_site_and_korean_ones_lead_back() -> None:
    contents = (_ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (_ROOT / "docs").glob("*.md"):
        assert f" {page.name}\n" in contents, f"{page.name} is missing in mkdocs.yml"
        if page.name.endswith(".ko.md"):
            english = page.with_name(page.name.replace(".ko.md", ".md"))
            for one, other in ((page, english), (english, page)):
                head = one.read_text(encoding="utf-8").partition("\n## ")[0]
                assert f"]({other.name})" in head, f"{one.name} does not lead to {other.name}"


def test_no_sentence_stands_on_two_pages() -> None:
    """A pair of languages may share a line of paths."""
    seen: dict[str, set[str]] = {}
    for page in (*(_ROOT / "docs").glob("*.md"), _ROOT / "README.md", _ROOT / "README.ko.md"):
        text = re.sub(
            r"<!-- begin.*?<!-- end", "", page.read_text(encoding="utf-8"), flags=re.DOTALL
        )
        prose = " ".join(line for line in _blocks(text)[2].splitlines() if not line.startswith("|"))
        for sentence in re.split(r"(?<=[.:?!])\s+", " ".join(prose.split())):
            seen.setdefault(sentence, set()).add(page.name.replace(".ko.md", ".md"))
    assert not {
        sentence: pages for sentence, pages in seen.items() if len(pages) > 1 and len(sentence) > 45
    }


def test_the_pictures_of_the_readme_are_small_and_of_no_machine() -> None:
    assets = _ROOT / "docs" / "assets"
    assert (assets / "pages.png").stat().st_size <= 200_000
    session = (assets / "session.svg").read_text(encoding="utf-8")
    root = ET.fromstring(session)
    text = "".join(root.itertext())
    assert "gieok recall" in text
    assert not re.search(r"(?:href|src|url\()|/(?:home|root|tmp|work|Users)/", session)


def test_a_recorded_terminal_shows_what_a_program_left_and_hangul_in_two_columns() -> None:
    recorder = runpy.run_path(str(_ROOT / "scripts" / "terminal_session.py"))
    screen = recorder["Screen"](10)
    screen.feed("10 %\r\x1b[K\x1b[1m기억\x1b[0m ok\r\n123456789기\r\n")
    assert ["".join(cell.sign for cell in row) for row in screen.rows] == [
        "기억 ok",
        "123456789",
        "기",
        "",
    ]
    assert recorder["_runs"](screen.rows[0]) == [("1", "기억"), ("", " ok")]
    line = recorder["_line"](1.0, screen.rows[0], 20)
    assert '<tspan x="16.0 32.8" class="i1 w">기억' in line
    assert 'x="49.6" textLength="25.2"> ok' in line


@pytest.mark.parametrize("page", ["README.md", "README.ko.md", "docs/start.md", "docs/start.ko.md"])
def test_the_first_memory_of_a_page_is_found_by_the_question_that_the_page_asks(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: Path
) -> None:
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "models").symlink_to(models)
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_OBSERVE_AGENTS", "none")
    text = (_ROOT / page).read_text(encoding="utf-8")
    told, asked = (
        re.findall(rf'gieok {command} "([^"]+)"', text)[0] for command in ("remember", "search")
    )
    (tmp_path / "shop").mkdir()
    with gieok.open(tmp_path / "shop") as memory:
        memory.add(told)
        (hit,) = memory.search(asked)
    assert told in hit.snippet


@pytest.mark.parametrize(("document", "lang"), [("pages.md", "en"), ("pages.ko.md", "ko")])
def test_every_page_of_the_browser_is_described_under_its_name(document: str, lang: str) -> None:
    text = (_ROOT / "docs" / document).read_text(encoding="utf-8")
    assert re.findall(r"^\| ([^|]+?) \|", text, re.MULTILINE)[1:] == [
        translate(name, lang) for _, name in site.MENU
    ]


#: Words of the glossary → the part of its Korean word that stands in every form of it, where a
#: Korean message says the word in one way, whatever it is about.
_HELD_WORDS = {
    "active memory": "활성 기억",
    "agent": "에이전트",
    "daemon": "데몬",
    "distil": "추려",
    "handle": "핸들",
    "home": "홈",
    "hook": "훅",
    "index": "색인",
    "journal": "저널",
    "nearest": "가장 가까운",
    "observation": "관찰",
    "project": "프로젝트",
    "prompt": "프롬프트",
    "reflect": "성찰",
    "put away": "치워",
    "scope": "범위",
    "score": "점수",
    "session": "세션",
    "tier": "층",
    "transcript": "대화 기록",
    "trust": "신뢰",
    "unsure": "확실하지 않",
    "vault": "보관함",
    "vector": "벡터",
}
#: Pages about the inside, or made of the source, and those with the words of other programs.
_NOT_FOR_USERS = {
    "CHANGELOG.md",
    "backends.md",
    "decisions.md",
    "documents.md",
    "figures.md",
    "glossary.ko.md",
    "glossary.md",
    "reader.ko.md",
    "reader.md",
    "retrieval.md",
    "settings.ko.md",
    "settings.md",
    "sidecar.md",
    "style.md",
    "tools.md",
}


def _table(name: str, heading: str) -> list[list[str]]:
    """Return the rows of the table of a glossary below its words, or below a heading."""
    text = (_ROOT / "docs" / name).read_text(encoding="utf-8")
    parts = re.split(r"^#+ ", text, flags=re.MULTILINE)
    (part,) = (part for part in parts if part.startswith(f"{heading}\n"))
    rows = [line for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[1:]]


def _korean_words() -> dict[str, str]:
    """Return each word of the glossary → the word that stands for it in Korean."""
    return {english: korean for korean, english, _ in _table("glossary.ko.md", "낱말 풀이")}


def _user_pages(is_korean: bool) -> dict[str, str]:
    """Return the prose of the pages for users by their names, without the addresses of links."""
    pages = [_ROOT / "README.md", _ROOT / "README.ko.md", *(_ROOT / "docs").glob("*.md")]
    return {
        page.name: re.sub(r"\]\([^)]*\)", " ", _blocks(page.read_text(encoding="utf-8"))[2])
        for page in pages
        if page.name.endswith(".ko.md") == is_korean and page.name not in _NOT_FOR_USERS
    }


def test_the_glossary_says_thirty_five_words_in_one_sentence_each_and_in_korean() -> None:
    english = dict(_table("glossary.md", "Glossary"))
    assert len(english) == 35
    assert list(_korean_words()) == list(english)
    assert len({*_korean_words().values()}) == 35
    for meaning in english.values():
        assert re.fullmatch(r"[A-Z][^.?!]*\.", re.sub(r"`[^`]*`", "`…`", meaning)), meaning
    for _, _, meaning in _table("glossary.ko.md", "낱말 풀이"):
        assert re.fullmatch(r"[^.?!]*다\.", re.sub(r"`[^`]*`", "`…`", meaning)), meaning


@pytest.mark.parametrize("is_korean", [False, True])
def test_every_word_of_the_glossary_is_one_that_the_documents_say(is_korean: bool) -> None:
    text = "\n".join(_user_pages(is_korean).values()).lower()
    words = _korean_words()
    said = [_HELD_WORDS.get(word, words[word]) if is_korean else word for word in words]
    assert not [word for word in said if word not in text]


#: Words between a verb and its particle: `take a folder of your own notes in`.
_MOST_BETWEEN = 6
#: What comes behind `in` where it belongs to the verb: nothing, a sign, or a word that begins no
#: noun.
_PARTICLE_END = r"(?=$|[^\w\s]|\s+(?:again|now|just|before|first|and|or|by|from|as|at|if|when)\b)"


def _build_left_out_pattern(form: str) -> str:
    """Return the pattern of a form that the glossary leaves out, with an object inside of it."""
    verb, _, particle = form.partition(" ")
    if particle != "in":
        return rf"\b{form}\b"
    split = rf"(?:\s+\S+){{1,{_MOST_BETWEEN}}}?\s+in\b{_PARTICLE_END}"
    return rf"\b{verb}\b(?:\s+in\b(?!\s+[{{`…])|{split})"


def _find_left_out(form: str, text: str) -> bool:
    return bool(re.search(_build_left_out_pattern(form), text, re.IGNORECASE))


@pytest.mark.parametrize(
    ("name", "heading", "is_korean"),
    [
        ("glossary.md", "Words that are not used", False),
        ("glossary.ko.md", "쓰지 않는 말", True),
    ],
)
def test_no_page_for_users_says_a_word_that_the_glossary_leaves_out(
    name: str, heading: str, is_korean: bool
) -> None:
    left_out = [form for forms, _ in _table(name, heading) for form in forms.split(", ")]
    assert len(left_out) > 5
    found = [
        f"{page}: {form}"
        for page, text in _user_pages(is_korean).items()
        for form in left_out
        if _find_left_out(form, " ".join(re.sub(r"`[^`]*`", "…", text).split()))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "is_left_out"),
    [
        ("take a folder of notes in", True),
        ("Take this in?", True),
        ("another process takes it in just now", True),
        ("could not be taken in, such as {path!r}", True),
        ("{taken:,} taken in, {sent:,} sent in {segments:,} segments", True),
        ("they were taken in again", True),
        ("taking in what was said", True),
        ("takes one, two and, at the end of the long line, the rest in", False),  # too far away
        ("{name} is taken in {folder!r}", False),
        ("Nothing took the place of something else in the last 30 days.", False),
        ("take another way in `notify.to`", False),
        ("seconds that the reranker may take; hits stay in their order", False),
    ],
)
def test_a_verb_is_told_from_a_preposition_by_what_comes_behind(
    text: str, is_left_out: bool
) -> None:
    forms = ("takes in", "taken in", "taking in", "take in")
    assert any(_find_left_out(form, text) for form in forms) is is_left_out


def test_no_english_message_says_a_word_that_the_glossary_leaves_out() -> None:
    left_out = [
        form
        for forms, _ in _table("glossary.md", "Words that are not used")
        for form in forms.split(", ")
    ]
    messages = {
        template: re.sub(r"`[^`]*`", "`…`", template) for template in list_translations("ko")
    }
    assert len(messages) > 2000
    assert not [
        f"{form}: {template}"
        for template, text in messages.items()
        for form in left_out
        if _find_left_out(form, text)
    ]


def test_no_korean_message_says_a_word_that_the_glossary_leaves_out() -> None:
    left_out = [form for form, _ in _table("glossary.ko.md", "쓰지 않는 말")]
    texts = list_translations("ko").values()
    assert not [text for text in texts if any(form in text for form in left_out)]


@pytest.mark.parametrize("word", _HELD_WORDS)
def test_a_korean_message_says_a_word_of_the_glossary_as_the_glossary_does(word: str) -> None:
    said = _HELD_WORDS[word]
    assert said in _korean_words()[word]
    spoken = re.compile(
        rf"(?<![\w./-])(?<!gieok ){word}(?:s|led|ling)?(?![\w./:=-])", re.IGNORECASE
    )
    messages = {
        template: text
        for template, text in list_translations("ko").items()
        if not template.startswith("gieok ")  # an example, whose options are no words
        and spoken.search(re.sub(r"`[^`]*`|\{[^}]*\}", "", template))
    }
    assert messages
    assert {template: text for template, text in messages.items() if said not in text} == {}
