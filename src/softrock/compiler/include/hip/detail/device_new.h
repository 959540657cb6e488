/* Part of softrock (MIT licence, see LICENSE). operator new and delete in device code, over the device heap. */
#ifndef SOFTROCK_HIP_DEVICE_NEW_H
#define SOFTROCK_HIP_DEVICE_NEW_H

#include "hip/detail/memory.h"

#if defined(__SR_GPU__)

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winline-new-delete"
#pragma clang diagnostic ignored "-Wimplicit-exception-spec-mismatch"
#define __SR_NEW inline __attribute__((device, always_inline))
__SR_NEW void *operator new(__sr_size size) { return ::malloc(size ? size : 1); }
__SR_NEW void *operator new[](__sr_size size) { return ::malloc(size ? size : 1); }
__SR_NEW void operator delete(void *p) noexcept { ::free(p); }
__SR_NEW void operator delete[](void *p) noexcept { ::free(p); }
__SR_NEW void operator delete(void *p, __sr_size) noexcept { ::free(p); }
__SR_NEW void operator delete[](void *p, __sr_size) noexcept { ::free(p); }
__SR_NEW void *operator new(__sr_size, void *p) noexcept { return p; }
__SR_NEW void *operator new[](__sr_size, void *p) noexcept { return p; }
__SR_NEW void operator delete(void *, void *) noexcept {}
__SR_NEW void operator delete[](void *, void *) noexcept {}
#undef __SR_NEW

/* Called through an abstract class's slot: a programming error, as on the host. */
extern "C" __attribute__((device, weak, noreturn)) void __cxa_pure_virtual() { __sr_trap(); }
extern "C" __attribute__((device, weak, noreturn)) void __cxa_deleted_virtual() { __sr_trap(); }

#pragma clang diagnostic pop

#endif
#endif
