"""The six steps as a table of questions, in the order in which they are asked."""

from gieok.ops.operation import Words
from gieok.ops.setup.interview import SetupQuestion
from gieok.ops.setup.questions.agents import AGENTS
from gieok.ops.setup.questions.model import MODEL
from gieok.ops.setup.questions.notices import NOTICES
from gieok.ops.setup.questions.places import PLACES
from gieok.ops.setup.questions.tiers import TIERS

#: Step → what stands above it.
STEPS = {
    1: Words("Agents on this machine", "이 컴퓨터의 에이전트"),
    2: Words("How long, and where to", "얼마나, 그다음은 어디로"),
    3: Words("Who chooses what is kept", "남길 것을 고르는 쪽"),
    4: Words("Obsidian, Dropbox, folder", "Obsidian, Dropbox, 폴더"),
    5: Words("How you are told", "알림"),
    6: Words("Review", "확인"),
}
QUESTIONS: tuple[SetupQuestion, ...] = (*AGENTS, *TIERS, *MODEL, *PLACES, *NOTICES)
