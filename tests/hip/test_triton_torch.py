# mypy: ignore-errors
"""Triton's tutorial kernels launched as a user does, on torch CPU tensors, against torch.

torch is large and not among the test dependencies: ``pip install torch`` in the environment to run this.
"""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.long
pytest.importorskip("triton", reason="Triton is not installed: pip install softrock[triton]")
pytest.importorskip("torch", reason="torch is not installed: pip install torch")

PROGRAM = """
import json, sys
import softrock.hip.python.triton as soft
soft.activate()
import softrock, torch
from tests.hip import triton_kernels as k
torch.manual_seed(1)
worst = {}
def note(name, got, want):
    softrock.synchronize()
    worst[name] = float((got.float() - want.float()).abs().max())
x, y = torch.rand(98432), torch.rand(98432)
out = torch.empty_like(x)
k.add_kernel[(97,)](x, y, out, 98432, BLOCK=1024)
note("add", out, x + y)
x = torch.randn(182, 781)
out = torch.empty_like(x)
k.softmax_kernel[(182,)](out, x, 781, 781, BLOCK=1024)
note("softmax", out, torch.softmax(x, 1))
a, b = torch.randn(128, 128).half(), torch.randn(128, 128).half()
out = torch.empty(128, 128)
k.matmul_kernel[(2, 2)](a, b, out, 128, BM=64, BK=32)
note("matmul", out, a.float() @ b.float())
x, w, b = torch.randn(151, 1000), torch.rand(1000), torch.rand(1000)
out = torch.empty_like(x)
k.layer_norm_kernel[(151,)](x, out, w, b, 1000, 1000, 1e-5, BLOCK=1024)
note("layer norm", out, torch.nn.functional.layer_norm(x, (1000,), w, b, 1e-5))
q, key, v = (torch.randn(4, 128, 64).half() for _ in range(3))
out = torch.empty(4, 128, 64)
k.attention_kernel[(2, 4)](q, key, v, out, 0.125, 128, D=64, BM=64, BN=32)
want = torch.nn.functional.scaled_dot_product_attention(q.float(), key.float(), v.float(), is_causal=True)
note("attention", out, want)
print(json.dumps(worst))
"""
BOUNDS = {"add": 0, "softmax": 1e-6, "matmul": 1e-4, "layer norm": 1e-5, "attention": 3e-3}


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_kernels_agree_with_torch(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOFTROCK_GPUS", target)
    monkeypatch.setenv("PYTHONPATH", ".")
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    worst = json.loads(done.stdout.splitlines()[-1])
    assert set(worst) == set(BOUNDS)
    for name, bound in BOUNDS.items():
        assert worst[name] <= bound, worst
