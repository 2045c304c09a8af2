"""The fields of parameters, which FastAPI keeps for 128 models alone.

We have more: what it forgets is made anew for every request, and the OpenAPI document, which tells fields apart
by identity, cannot be made at all.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi.dependencies import utils


def keep_all() -> None:
    """Let FastAPI keep the fields of every model."""
    module: Any = utils
    kept = module.get_cached_model_fields
    if kept.cache_parameters()["maxsize"] is not None:
        module.get_cached_model_fields = cache(kept.__wrapped__)
