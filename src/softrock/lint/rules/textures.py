"""Textures and surfaces on GPUs without image instructions, and texture references."""

from __future__ import annotations

import re
from collections.abc import Iterator

from softrock.hipify.findings import Finding, Severity
from softrock.lint.by_size import chosen_by_size
from softrock.lint.file import File
from softrock.lint.outline import Outline
from softrock.lint.registry import rule

_FETCH = re.compile(
    r"tex(?:1D|2D|3D|Cubemap)(?:fetch|Lod|Grad|Layered|LayeredLod|LayeredGrad|gather)?"
    r"|surf(?:1D|2D|3D|Cubemap)(?:Layered)?(?:read|write)"
)
_CREATE = re.compile(
    r"(?:cuda|hip)(?:CreateTextureObject|CreateSurfaceObject|BindTexture(?:2D|ToArray|ToMipmappedArray)?|BindSurfaceToArray"
    r"|MallocMipmappedArray)|(?:cu|hip)(?:TexObjectCreate|SurfObjectCreate|TexRefSetArray|TexRefSetAddress\w*)"
)
_ASKS = frozenset(
    ["hipDeviceAttributeImageSupport", "imageSupport", "cudaDevAttrImageSupport", "__HIP_NO_IMAGE_SUPPORT"]
)


def _asked(file: File, out: Outline) -> bool:
    """Whether the file itself finds out if there are images."""
    return bool(_ASKS & out.names.keys()) or any(
        token.text in _ASKS for line in out.directives for token in line.tokens
    )


@rule("texture-on-cdna", Severity.ERROR)
def texture_on_cdna(file: File) -> Iterator[Finding]:
    """Textures and surfaces do not exist on this GPU.

    Why:
        CDNA GPUs (gfx90a, gfx942, gfx950) have no image instructions. Code that fetches from a texture does not
        compile for them (HIP's headers define ``__HIP_NO_IMAGE_SUPPORT``), and hipCreateTextureObject,
        hipCreateSurfaceObject and binding fail with hipErrorNotSupported. Most textures were there for the cache:
        reading the memory directly (``__ldg`` or a const pointer) does as well. Filtering and addressing modes have to
        be computed. Where a file asks for hipDeviceAttributeImageSupport, and in code for some targets only, this is a
        note.

    Example:
        __global__ void read(cudaTextureObject_t image, float* out) {
          out[threadIdx.x] = tex1Dfetch<float>(image, threadIdx.x);
        }

    Fix:
        __global__ void read(const float* __restrict__ image, float* out) {
          out[threadIdx.x] = __ldg(&image[threadIdx.x]);
        }
    """
    without = [each.gfx for each in file.targets if not each.textures]
    if not without:
        return
    out = file.outline
    own = {each.name for each in out.functions}
    asked = _asked(file, out)
    on = ", ".join(without)
    for name, places in out.names.items():
        fetch = _FETCH.fullmatch(name)
        if (not fetch and not _CREATE.fullmatch(name)) or name in own:
            continue
        for index in places:
            if out.call_at(index) is None or out.at(index - 1) in (".", "->"):
                continue
            if fetch:
                message = f"{name} needs image instructions, which {on} has not"
                hint = "read the memory directly (__ldg), and compute filtering and borders where they are used"
            else:
                message = f"{name} fails on {on}: there are no textures or surfaces"
                hint = "pass the memory itself to the kernel, or ask for hipDeviceAttributeImageSupport first"
            line = file.source.position(out.tokens[index].offset)[0]
            severity = Severity.NOTE if asked or chosen_by_size(file, line) else Severity.ERROR
            yield file.finding("texture-on-cdna", out.tokens[index].offset, len(name), message, hint, severity=severity)


@rule("texture-reference", Severity.WARNING)
def texture_reference(file: File) -> Iterator[Finding]:
    """Texture references are gone from CUDA and deprecated in HIP.

    Why:
        A global ``texture<…>`` is bound by name at run time. CUDA 12 has removed texture and surface references, HIP
        has deprecated them and does not support them on every GPU. Texture objects are values that can be passed to
        kernels; on GPUs without images, plain memory does.

    Example:
        texture<float, 1, cudaReadModeElementType> image;

    Fix:
        __constant__ const float* image;
    """
    out = file.outline
    for word in ("texture", "surface"):
        for index in out.names.get(word, ()):
            if out.at(index + 1) != "<" or out.at(index - 1) in ("::", ".", "->", "class", "struct"):
                continue
            behind = out.angle(index + 1)
            if behind is None or not out.at(behind).isidentifier() or out.at(behind + 1) not in (";", "=", ","):
                continue
            name = out.at(behind)
            yield file.finding(
                "texture-reference",
                *out.offsets((index, behind + 1)),
                f"{word} reference {name}: removed in CUDA 12, deprecated in HIP",
                f"use a {word} object, or plain memory where it was for the cache",
            )
