# What an editor and a type checker see of the public API; a program that runs gets the same names
# from the table in `__init__.py`, each when it is first used.

from gieok.errors import GieokError as GieokError
from gieok.home.calls import open_call as open_call
from gieok.model.memory import Document as Document
from gieok.model.memory import Entry as Entry
from gieok.model.memory import Passage as Passage
from gieok.model.memory import Scope as Scope
from gieok.model.retrieval import Filter as Filter
from gieok.model.retrieval import Hit as Hit
from gieok.ranking.profile import Profile as Profile
from gieok.ranking.recall import Question as Question
from gieok.ranking.recall import recall as recall
from gieok.surfaces.python import AsyncMemory as AsyncMemory
from gieok.surfaces.python import Memory as Memory
from gieok.surfaces.python import open as open  # noqa: A004 - `gieok.open`
from gieok.surfaces.python import open_async as open_async

__version__: str
