"""`gieok code watch`: sync whenever files change, until interrupted."""

from dataclasses import dataclass
from pathlib import Path

from gieok.capabilities.code import scan
from gieok.capabilities.code.project import Project
from gieok.ops.code_init import SyncResult, present, synced
from gieok.ops.code_project import opened
from gieok.ops.context import Context
from gieok.ops.operation import Effect, Operation, Words, argument

#: Above this many changed files, comparing everything is cheaper.
_BULK = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRequest:
    """Parameters of `gieok code watch`."""

    once: bool = argument(Words("stop after the first change", "첫 변경 뒤 멈춤"), False)


def run(context: Context, request: WatchRequest) -> SyncResult:
    """Sync now, and then after each change."""
    project = opened(context)
    result = synced(context, project, "watch")
    context.tell(Words("watching", "지켜보는 중").say(context.lang) + f" {project.root}")
    try:
        for changed in context.watcher().changes([project.root], context.debounce_ms, context.rescan_s):
            paths = relevant(project, changed)
            if changed and not paths:
                continue
            result = synced(context, project, "watch", only=paths if len(paths) <= _BULK else ())
            if result.change.touched:
                context.tell(", ".join(result.change.touched[:5]))
                if request.once:
                    break
    except KeyboardInterrupt:
        pass
    return result


def relevant(project: Project, changed: set[Path]) -> list[str]:
    """Return the changed paths that are indexed, or would be: by the rule that `scan` has, not one of our own."""
    found = []
    for path in sorted(changed):
        if project.root not in path.parents:
            continue
        relative = path.relative_to(project.root).as_posix()
        looked = scan.look(project.root, relative, (*project.versions.ignored_folders(), *project.ignore))
        if isinstance(looked, scan.Candidate) or relative in project.store.files():
            found.append(relative)
    return found


OPERATION = Operation(
    name="code watch",
    request=WatchRequest,
    handler=run,
    present=present,
    effect=Effect.WRITE,
    doc=Words(
        "Keep the project's index up to date while files change", "파일이 바뀌는 동안 프로젝트 색인을 최신으로 둡니다"
    ),
)
