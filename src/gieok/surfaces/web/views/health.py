"""What waits for a person, how full everything is, and what runs when."""

from collections import Counter

from starlette.responses import Response

from gieok.ops import operation
from gieok.ops.operation import Style
from gieok.surfaces.web.site import Seen


def health(seen: Seen) -> Response:
    """Show what waits for a person, how full everything is, and what runs when."""
    archive, pending = seen.memory.run("archive status"), seen.memory.run("archive pending")
    stats, status = seen.memory.run("observe stats"), seen.memory.run("status")
    style = Style(seen.lang, colour=False)
    sizes = Counter[str]()
    for row in archive.tiers:
        sizes[row.tier.value] += row.memories
    most = max(sizes.values(), default=1) or 1
    checks = ""
    if seen.asked("deep"):
        checks = operation("doctor").present(seen.memory.run("doctor"), style)
    figures = (
        (seen.words("documents here", "여기 있는 문서"), f"{status.stats.documents:,}"),
        (seen.words("messages in the journal", "저널의 메시지"), f"{stats.journal.messages:,}"),
        (seen.words("tokens wait to be observed", "관찰을 기다리는 토큰"), f"{stats.backlog_tokens:,}"),
        (seen.words("model tokens today", "오늘 쓴 모델 토큰"), f"{stats.today_tokens:,}"),
    )
    incidents = {one.name: one for one in (*stats.incidents, *archive.incidents)}
    return seen.page(
        "health.html", figures=figures, tiers=[(tier, count, count / most) for tier, count in sizes.items()],
        incidents=list(incidents.values()), pending=pending.days, questions=pending.questions, rejects=stats.rejects,
        schedules=archive.schedules, report=operation("status").present(status, style), checks=checks,
    )  # fmt: skip
