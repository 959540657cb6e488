"""Imports every module of operations, which registers them."""

from tests.lift.models import (  # noqa: F401
    approximate,
    comparison,
    conversion,
    division,
    floating,
    integer,
    movement,
    packed,
    scalar,
)
