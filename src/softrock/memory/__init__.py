"""Device memory: one reserved range of host addresses, in which a device pointer is a host pointer."""

from softrock.memory.space import (
    AddressSpace,
    Allocation,
    DeviceOutOfMemory,
    InvalidPointer,
    Kind,
    host_bytes,
    space,
)

__all__ = ["AddressSpace", "Allocation", "DeviceOutOfMemory", "InvalidPointer", "Kind", "host_bytes", "space"]
