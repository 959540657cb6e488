"""Mathematical functions that CUDA has on the host too, and HIP on the GPU alone. Whether a call is the host's is known
with clang's tree only."""

from __future__ import annotations

from softrock.hipify import flow
from softrock.hipify.work import Work

_STEMS = (
    "normcdf normcdfinv erfinv erfcinv erfcx rsqrt rcbrt sinpi cospi sincospi cyl_bessel_i0 cyl_bessel_i1 norm norm3d "
    "norm4d rnorm rnorm3d rnorm4d rhypot fdivide"
)
NAMES = frozenset([*_STEMS.split(), *(f"{stem}f" for stem in _STEMS.split())])
"""Functions of the CUDA Math API that C++ does not have; HIP's are ``__device__`` (clang's __clang_hip_math.h)."""


def report(work: Work) -> None:
    """Report calls of them in functions of the host alone."""
    if work.tree is None or not any(token.text in NAMES for token in work.tokens):
        return
    for call in flow.calls(work.tree.root, *NAMES):
        named, function = flow.callee(call), flow.enclosing_function(call)
        if named is None or named.name_offset < 0 or named.file != work.tree.main:
            continue
        if function is None or flow.is_device(function) or work.tree.declaration(named.ref) is not None:
            continue
        name = flow.callee_name(call)
        text = f"{name} is called on the host, where HIP does not have it"
        work.report(named.name_offset, len(name), "unsupported-api", text, "write it with functions of <cmath>")
