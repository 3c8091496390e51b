"""Routes, a module per part of the API, each an APIRouter named `router`."""
