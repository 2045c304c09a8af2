"""How long hypothesis searches: briefly and always alike, or with HYPOTHESIS_PROFILE=long, at length."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

CALM = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]

settings.register_profile(
    "short",
    max_examples=40,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=CALM,
)
settings.register_profile(
    "long",
    max_examples=2000,
    stateful_step_count=60,
    deadline=None,
    suppress_health_check=CALM,
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))
