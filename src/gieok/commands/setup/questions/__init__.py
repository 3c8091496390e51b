"""The six steps as a table of questions, in the order in which they are asked."""

from gieok.commands.setup.questions.agents import AGENTS
from gieok.commands.setup.questions.model import MODEL
from gieok.commands.setup.questions.notices import NOTICES
from gieok.commands.setup.questions.places import PLACES
from gieok.commands.setup.questions.question import SetupQuestion
from gieok.commands.setup.questions.tiers import TIERS
from gieok.text.messages import Words

#: Step → title.
STEPS = {
    1: Words("Agents on this machine"),
    2: Words("How long, and where to"),
    3: Words("Who chooses what is kept"),
    4: Words("Obsidian, Dropbox, folder"),
    5: Words("How you are told"),
    6: Words("Review"),
}
QUESTIONS: tuple[SetupQuestion, ...] = (*AGENTS, *TIERS, *MODEL, *PLACES, *NOTICES)
