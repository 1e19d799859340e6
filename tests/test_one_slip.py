"""One slip costs the points of the checks that are about it, and no others."""

import pytest
from lesson_runner import lesson_text
from mutants import judge

from mistakes import mistakes_of

SLIPS = {
    "cached_attention": (
        "no output projection",
        "the residual added",
        "scale by the root of the model width",
        "no scale",
    ),
    "generate_cached": ("generate itself called", "the prompt runs twice"),
    "kv_cache_bytes": ("only the keys",),
}


@pytest.mark.parametrize(
    ("exercise", "name"),
    [(one, name) for one, names in SLIPS.items() for name in names],
)
def test_a_slip_fails_at_its_own_checks_only(exercise, name):
    slips = [m for m in mistakes_of("04_kv_cache") if m.exercise == exercise]
    slip = next(m for m in slips if m.name == name)
    assert len(slip.check_ids) < len(lesson_text("04_kv_cache").checks_of(exercise))
    assert set(judge("04_kv_cache", slip).failed) == slip.check_ids
