"""Code objects: ELF files with AMD GPU code, kernel descriptors, metadata, offload bundles, line tables.

:func:`load` parses one code object; :mod:`softrock.codeobj.bundle` finds them in bundles, host programs
and archives; :mod:`softrock.codeobj.targets` knows target IDs.
"""

from softrock.codeobj.image import Relocation
from softrock.codeobj.kernel import Descriptor, InitialSgpr, Kernel
from softrock.codeobj.loader import CodeObject, Symbol, load
from softrock.codeobj.metadata import Arg, KernelMetadata, Metadata
from softrock.codeobj.targets import TargetId

__all__ = [
    "Arg",
    "CodeObject",
    "Descriptor",
    "InitialSgpr",
    "Kernel",
    "KernelMetadata",
    "Metadata",
    "Relocation",
    "Symbol",
    "TargetId",
    "load",
]
