"""What LLVM rejects is an error, and nothing worse afterwards."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = '''
import gc
from softrock.core.errors import SoftrockError
from softrock.jit.compile import object_of

BAD = """define i32 @f(i1 %c) {
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %x = phi i32 [ 1, %a ]
  ret i32 %x
}"""
for _ in range(50):
    try:
        object_of(BAD, "f")
    except SoftrockError as error:
        error.self = error  # what the error's frames hold goes with a cycle
        assert "malformed" in error.message
    else:
        raise AssertionError
    gc.collect()
print("survived")
'''


def test_a_rejected_module_can_be_collected_with_its_context() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "survived\n"), done.stderr
