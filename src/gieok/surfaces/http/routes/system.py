"""Routes for liveness, readiness and metrics of the server."""

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from gieok.model.memory import Scope
from gieok.surfaces.http.access import OPERATORS_ONLY, Desk
from gieok.surfaces.http.metrics import CONTENT_TYPE
from gieok.surfaces.http.problems import ALWAYS, documented

router = APIRouter(tags=["system"])
#: A scope that belongs to nobody: the check only asks whether a lookup works.
_NOBODY = "-"


class Health(BaseModel):
    """Whether it is well."""

    status: str = Field(examples=["ok"])


@router.get("/health", responses=documented(500))
def report_liveness() -> Health:
    """Say that the process is up."""
    return Health(status="ok")


@router.get("/ready", responses=documented(500, 503))
def ready(desk: Desk) -> Health:
    """Say that journal, store and accounts answer."""
    nobody = Scope(f"user:{_NOBODY}")
    desk.house.accounts.account(_NOBODY)
    desk.house.memory.journal.position(nobody, _NOBODY)
    desk.house.memory.store.get(nobody, [_NOBODY])
    return Health(status="ok")


@router.get(
    "/metrics",
    response_class=Response,
    dependencies=OPERATORS_ONLY,
    responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
        **documented(*ALWAYS),
    },
)
def serve_metrics(desk: Desk) -> Response:
    """Return metrics for Prometheus; needs an admin key or the owner's token."""
    return Response(desk.metrics.text(), media_type=CONTENT_TYPE)
