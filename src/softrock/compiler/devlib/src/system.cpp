// What device code asks of the runtime through hidden kernel arguments: the printf buffer and the heap. The layouts are
// described, for the host side, in softrock.compiler.devlib.layout.
#include "base.h"

// Offsets of hidden arguments from the implicit argument pointer, code object version 5 and later.
enum { HIDDEN_PRINTF_BUFFER = 72, HIDDEN_HEAP = 96 };

enum : u32 { PRINTF_LOST = 1 };  // set in printf_buffer::size when a record did not fit

struct printf_buffer {
  u32 used;  // bytes of data taken so far
  u32 size;  // bytes of data there are, and PRINTF_LOST
  u8 data[];
};

// A block of the heap: this header, then what the program sees, 16-byte aligned.
struct heap_block {
  u32 state;  // BLOCK_LIVE or BLOCK_FREE
  u32 size_class;
  u32 next;  // index of the next free block of the class, 0 for none (free blocks only)
  u32 unused;
};
enum : u32 { BLOCK_LIVE = 0x4556494cu, BLOCK_FREE = 0x45455246u };
enum { HEAP_CLASSES = 64, HEAP_UNIT = 16 };

// Block sizes, header included: 32, 48, 64, 96, 128, 192, ... (two a doubling).
struct heap {
  u64 base;   // address of unit 0; unit 0 itself is never handed out
  u64 units;  // number of units in the heap
  u64 next;   // first unit never handed out (atomic)
  u64 reserved;
  u64 free[HEAP_CLASSES];  // tag << 32 | unit index of the first free block (atomic)
};

INLINE u64 units_of_class(u32 c) { return (c & 1 ? 3ul : 2ul) << (c >> 1); }
INLINE u32 class_of_units(u64 units) {  // units >= 2
  u32 k = 63 - (u32)__builtin_clzl(units);
  u64 low = 1ul << k;
  return units == low ? 2 * (k - 1) : units <= low + low / 2 ? 2 * (k - 1) + 1 : 2 * k;
}
INLINE GLOBAL heap_block *block_at(GLOBAL heap *h, u64 unit) { return (GLOBAL heap_block *)(h->base + unit * HEAP_UNIT); }

INLINE u64 heap_pop(GLOBAL heap *h, u32 c) {
  u64 head = __atomic_load_n(&h->free[c], __ATOMIC_ACQUIRE);
  while ((u32)head) {
    u32 next = __atomic_load_n(&block_at(h, (u32)head)->next, __ATOMIC_RELAXED);
    u64 fresh = ((head >> 32) + 1) << 32 | next;
    if (__atomic_compare_exchange_n(&h->free[c], &head, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      return (u32)head;
    }
  }
  return 0;
}
INLINE void heap_push(GLOBAL heap *h, u32 c, u32 unit) {
  u64 head = __atomic_load_n(&h->free[c], __ATOMIC_RELAXED), fresh;
  do {
    __atomic_store_n(&block_at(h, unit)->next, (u32)head, __ATOMIC_RELAXED);
    fresh = ((head >> 32) + 1) << 32 | unit;
  } while (!__atomic_compare_exchange_n(&h->free[c], &head, fresh, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}
INLINE u64 heap_extend(GLOBAL heap *h, u64 units) {
  if (__atomic_load_n(&h->next, __ATOMIC_RELAXED) + units > h->units) return 0;
  u64 at = __atomic_fetch_add(&h->next, units, __ATOMIC_RELAXED);
  if (at + units <= h->units) return at;
  __atomic_fetch_sub(&h->next, units, __ATOMIC_RELAXED);  // lost a race at the very end of the heap
  return 0;
}
INLINE u64 heap_alloc(GLOBAL heap *h, u64 size) {
  if (!h || size == 0 || size >= h->units * HEAP_UNIT) return 0;
  u32 c = class_of_units((size + 2 * HEAP_UNIT - 1) / HEAP_UNIT < 2 ? 2 : (size + 2 * HEAP_UNIT - 1) / HEAP_UNIT);
  u64 unit = heap_pop(h, c);
  if (!unit) unit = heap_extend(h, units_of_class(c));
  for (u32 larger = c + 1; !unit && larger < HEAP_CLASSES; ++larger) {
    unit = heap_pop(h, larger);
    if (unit) c = larger;
  }
  if (!unit) return 0;
  GLOBAL heap_block *b = block_at(h, unit);
  b->size_class = c;
  __atomic_store_n(&b->state, BLOCK_LIVE, __ATOMIC_RELAXED);
  return (u64)(b + 1);
}
INLINE bool heap_free(GLOBAL heap *h, u64 address) {  // false: not a live block of this heap
  if (!h || address % HEAP_UNIT || address < h->base + 2 * HEAP_UNIT || address >= h->base + h->units * HEAP_UNIT) {
    return false;
  }
  GLOBAL heap_block *b = (GLOBAL heap_block *)address - 1;
  u32 live = BLOCK_LIVE;
  if (!__atomic_compare_exchange_n(&b->state, &live, BLOCK_FREE, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    return false;
  }
  heap_push(h, b->size_class, (u32)(((u64)b - h->base) / HEAP_UNIT));
  return true;
}
INLINE GLOBAL void *printf_take(GLOBAL printf_buffer *b, u32 bytes) {
  if (!b) return nullptr;
  u32 used = __atomic_load_n(&b->used, __ATOMIC_RELAXED);
  do {
    u32 size = __atomic_load_n(&b->size, __ATOMIC_RELAXED) & ~PRINTF_LOST;
    if (used > size || bytes > size - used) {
      __atomic_fetch_or(&b->size, PRINTF_LOST, __ATOMIC_RELAXED);
      return nullptr;
    }
  } while (!__atomic_compare_exchange_n(&b->used, &used, used + bytes, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return b->data + used;
}

#if defined(__AMDGCN__)
INLINE u64 hidden(int offset) { return *(const CONSTANT u64 *)((const CONSTANT u8 *)__builtin_amdgcn_implicitarg_ptr() + offset); }

// Called by what -mprintf-kind=buffered makes of printf; a global pointer to `bytes` bytes, or null when full.
API GLOBAL void *__printf_alloc(u32 bytes) {
  return printf_take((GLOBAL printf_buffer *)hidden(HIDDEN_PRINTF_BUFFER), bytes);
}
API u64 __ockl_dm_alloc(u64 size) { return heap_alloc((GLOBAL heap *)hidden(HIDDEN_HEAP), size); }
API void __ockl_dm_dealloc(u64 address) {
  if (address && !heap_free((GLOBAL heap *)hidden(HIDDEN_HEAP), address)) __builtin_trap();
}
#else
API void *host_printf_alloc(void *buffer, u32 bytes) { return printf_take((GLOBAL printf_buffer *)buffer, bytes); }
API u64 host_dm_alloc(void *h, u64 size) { return heap_alloc((GLOBAL heap *)h, size); }
API int host_dm_dealloc(void *h, u64 address) { return heap_free((GLOBAL heap *)h, address); }
#endif
