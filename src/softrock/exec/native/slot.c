/* Where workgroups live: LDS, scratch, fiber stacks, work-item ids. Kept per worker and reused from launch to launch. */
#include "rt.h"

#define LDS_SPAN (1ull << 32)
#define LDS_BEYOND (2ull << 20) /* read-only as the tail: for addresses of 32 bits with an offset */
#define STACK_GUARD (256u << 10) /* a frame of many spilled vector registers must not step over it */

/* Which resident workgroup's LDS stands in each 4 GiB of the address space. */
static sr_group *_Atomic lds_owner[1 << 16];

static void *map_pages(uint64_t bytes, int protection) {
    void *p = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* 4 GiB of address space (and a little more) at a multiple of 4 GiB, 0 if there is none. */
static uint64_t reserve_span(void) {
    uint8_t *p = map_pages(2 * LDS_SPAN + LDS_BEYOND, PROT_NONE);
    if (!p) return 0;
    uint64_t base = round_up((uint64_t)p, LDS_SPAN), before = base - (uint64_t)p;
    if (before) munmap(p, before);
    if (before < LDS_SPAN) munmap((void *)(base + LDS_SPAN + LDS_BEYOND), LDS_SPAN - before);
    return base;
}

static bool map_lds_tail(uint64_t from, uint64_t bytes) {
    void *p = mmap((void *)from, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (p == MAP_FAILED) return false;
    madvise(p, bytes, MADV_DONTDUMP);
    return true;
}

/* Make the first `bytes` writable and everything after them read as zero. */
static bool lds_resize(sr_group *g, uint64_t bytes) {
    if (!g->lds) {
        g->lds = reserve_span();
        if (!g->lds || !map_lds_tail(g->lds, LDS_SPAN + LDS_BEYOND)) return false;
        lds_owner[g->lds >> 32] = g;
    }
    uint64_t want = round_up(bytes, PAGE);
    if (want == g->lds_rw || !want) return true; /* without LDS nothing tells the launch where an old one ends */
    if (want > g->lds_rw) {
        if (mprotect((void *)g->lds, want, PROT_READ | PROT_WRITE)) return false;
    } else if (!map_lds_tail(g->lds + want, g->lds_rw - want)) {
        return false;
    }
    g->lds_rw = want;
    return true;
}

/* A write beyond the allocation: hardware drops it. Let it land in a page of its own and forget the page before the
   next workgroup. */
static bool lds_tail_write(worker *w, uint64_t address) {
    if (address >> 48) return false;
    sr_group *g = lds_owner[address >> 32];
    if (!g || g->owner != w || address - g->lds < g->lds_rw) return false;
    uint64_t page = address / PAGE * PAGE;
    if (mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE)) return false;
    if (g->dirty_count < MAX_DIRTY) g->dirty[g->dirty_count] = page;
    g->dirty_count++;
    atomic_fetch_add_explicit(&pool.lds_drops, 1, memory_order_relaxed);
    return true;
}

static void lds_forget(sr_group *g) {
    if (g->dirty_count > MAX_DIRTY) {
        map_lds_tail(g->lds + g->lds_rw, LDS_SPAN - g->lds_rw);
    } else {
        for (uint32_t i = 0; i < g->dirty_count; i++)
            if (g->dirty[i] >= g->lds + g->lds_rw) map_lds_tail(g->dirty[i], PAGE);
    }
    g->dirty_count = 0;
}

static bool need_stacks(sr_group *g, uint32_t waves) {
    if (waves <= g->stack_waves) return true;
    uint64_t stride = pool.fiber_stack + STACK_GUARD;
    if (g->stacks) munmap(g->stacks, stride * g->stack_waves);
    g->stack_waves = 0;
    g->stacks = map_pages(stride * waves, PROT_READ | PROT_WRITE);
    if (!g->stacks) return false;
    madvise(g->stacks, stride * waves, MADV_NOHUGEPAGE);
    for (uint32_t i = 0; i < waves; i++)
        if (mprotect(g->stacks + i * stride, STACK_GUARD, PROT_NONE)) return false;
    g->stack_waves = waves;
    return true;
}

/* Tops of different waves fall on different cache sets: all start on pages, so their hot ends would collide. */
static uint64_t stack_top(sr_group *g, uint32_t wave) {
    uint64_t end = (uint64_t)g->stacks + (pool.fiber_stack + STACK_GUARD) * (wave + 1);
    return end - (wave * 832u & 0x3fc0u);
}

static bool in_stack_guard(sr_group *g, uint64_t address) {
    uint64_t stride = pool.fiber_stack + STACK_GUARD;
    uint64_t offset = address - (uint64_t)g->stacks;
    return g->stack_waves && offset < stride * g->stack_waves && offset % stride < STACK_GUARD;
}

static bool need_regs(sr_group *g, uint32_t waves) {
    if (waves <= g->regs_waves) return true;
    if (g->regs) munmap(g->regs, (uint64_t)g->regs_waves * SR_REGS_BYTES);
    g->regs = map_pages((uint64_t)waves * SR_REGS_BYTES, PROT_READ | PROT_WRITE);
    g->regs_waves = g->regs ? waves : 0;
    return g->regs != NULL;
}

static bool need_scratch(sr_group *g, uint64_t bytes) {
    if (bytes <= g->scratch_bytes) return true;
    uint64_t room = round_up(bytes, 16 * PAGE);
    if (g->scratch) munmap(g->scratch, g->scratch_bytes + PAGE);
    g->scratch_bytes = 0;
    g->scratch = map_pages(room + PAGE, PROT_READ | PROT_WRITE);
    if (!g->scratch || mprotect(g->scratch + room, PAGE, PROT_NONE)) return false;
    g->scratch_bytes = room;
    return true;
}

typedef struct ids {
    uint32_t shape[3], wave_size;
    _Alignas(64) uint32_t packed[MAX_WAVES * 64];
} ids;

static bool same_shape(const uint32_t a[3], uint32_t wave_a, const uint32_t b[3], uint32_t wave_b) {
    return wave_a == wave_b && a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* The work-item ids of a workgroup of this shape, in *place, which is made if there is none. */
static ids *need_ids(ids **place, const uint32_t shape[3], uint32_t wave_size) {
    ids *list = *place;
    if (!list) {
        void *memory;
        if (posix_memalign(&memory, 64, sizeof *list)) return NULL;
        *place = list = memory;
        list->wave_size = 0;
    }
    if (same_shape(list->shape, list->wave_size, shape, wave_size)) return list;
    uint32_t at = 0;
    for (uint32_t z = 0; z < shape[2]; z++)
        for (uint32_t y = 0; y < shape[1]; y++)
            for (uint32_t x = 0; x < shape[0]; x++) list->packed[at++] = x | y << 10 | z << 20;
    while (at % wave_size) list->packed[at++] = 0;
    memcpy(list->shape, shape, sizeof list->shape);
    list->wave_size = wave_size;
    return list;
}

/* Give the waves their ids and initial EXEC. All whole workgroups of a worker share one list of ids. */
static bool set_shape(sr_group *g, const uint32_t shape[3], uint32_t wave_size, ids **place) {
    ids *list = need_ids(place, shape, wave_size);
    if (!list) return false;
    if (same_shape(g->shape, g->shape_wave, shape, wave_size) && g->list == list) return true;
    uint32_t items = shape[0] * shape[1] * shape[2];
    uint64_t full = wave_size == 64 ? ~0ull : (1ull << wave_size) - 1;
    g->count = (items + wave_size - 1) / wave_size;
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t left = items - i * wave_size;
        g->waves[i].exec = left >= wave_size ? full : (1ull << left) - 1;
        g->waves[i].workitem_ids = (uint64_t)(list->packed + i * wave_size);
        g->waves[i].num_waves = g->count;
    }
    memcpy(g->shape, shape, sizeof g->shape);
    g->shape_wave = wave_size;
    g->list = list;
    return true;
}

static sr_group *group_new(worker *w) {
    void *memory;
    if (posix_memalign(&memory, 64, sizeof(sr_group))) return NULL;
    sr_group *g = memset(memory, 0, sizeof *g);
    g->owner = w;
    return g;
}

static bool need_waves(sr_group *g, uint32_t count) {
    if (count <= g->wave_room) return true;
    void *memory;
    if (posix_memalign(&memory, 64, count * sizeof(sr_wave))) return false;
    free(g->waves);
    g->waves = memory;
    g->wave_room = count;
    g->shape_wave = 0; /* the new ones know no shape yet */
    memset(memory, 0, count * sizeof(sr_wave));
    for (uint32_t i = 0; i < count; i++) {
        sr_wave *wave = &g->waves[i];
        wave->home = (uint64_t)g;
        wave->wave_id = i;
        wave->bit = 1ull << i;
        wave->hw_id = g->owner->index;
        wave->private_base = pool.private_base;
        wave->queue = (uint64_t)g->amd_queue;
    }
    return true;
}

static void group_delete(sr_group *g) {
    if (g->lds) {
        lds_owner[g->lds >> 32] = NULL;
        munmap((void *)g->lds, LDS_SPAN + LDS_BEYOND);
    }
    if (g->stacks) munmap(g->stacks, (pool.fiber_stack + STACK_GUARD) * g->stack_waves);
    if (g->regs) munmap(g->regs, (uint64_t)g->regs_waves * SR_REGS_BYTES);
    if (g->scratch) munmap(g->scratch, g->scratch_bytes + PAGE);
    free(g->waves), free(g->own_ids), free(g);
}

/* A cooperative launch may have needed thousands of places: keep some for the next one. */
static void groups_trim(worker *w) {
    for (; w->group_count > MAX_KEPT && w->free_groups; w->group_count--) {
        sr_group *g = w->free_groups;
        w->free_groups = g->next_free;
        group_delete(g);
    }
}

/* Fit a workgroup's place to a launch: everything that is the same for all of the launch's workgroups. */
static bool group_prepare(sr_group *g, packet *job) {
    const sr_launch *l = &job->launch;
    uint64_t items = job->total * l->group[0] * l->group[1] * l->group[2];
    uint64_t around = items ? (pool.cache_bytes + items - 1) / items : UINT32_MAX;
    uint32_t waves = job->waves_per_group;
    bool fibers = l->flags & SR_FIBERS;
    uint32_t apart = fibers ? waves : 1; /* waves called one after another share what only one needs at a time */
    uint64_t scratch = round_up((uint64_t)l->scratch_lane_bytes * l->wave_size, 64) + 64;
    if (!need_waves(g, waves) || !set_shape(g, l->group, l->wave_size, &g->owner->ids)) return false;
    if (!lds_resize(g, l->lds_bytes) || !need_regs(g, apart) || !need_scratch(g, scratch * apart)) return false;
    if (fibers && !need_stacks(g, waves)) return false;
    uint32_t *apertures = (uint32_t *)g->amd_queue + 16; /* amd_queue_t: group and private aperture, high halves */
    apertures[0] = (uint32_t)(g->lds >> 32);
    apertures[1] = (uint32_t)(pool.private_base >> 32);
    for (uint32_t i = 0; i < waves; i++) {
        sr_wave *wave = &g->waves[i];
        uint32_t own = fibers ? i : 0;
        wave->kernarg = job->kernarg_at;
        wave->dispatch = job->aql_at;
        wave->dispatch_id = job->dispatch_id;
        wave->lds = g->lds;
        wave->scratch = (uint64_t)g->scratch + own * scratch;
        wave->regs = (uint64_t)g->regs + (uint64_t)own * SR_REGS_BYTES;
        wave->calls = l->calls;
        wave->code_base = l->code_base;
        wave->user = l->user;
        wave->lds_bytes = l->lds_bytes;
        wave->scratch_lane_bytes = l->scratch_lane_bytes;
        wave->fn = l->fn;
        wave->around = around < UINT32_MAX ? (uint32_t)around : UINT32_MAX;
        wave->top = fibers ? stack_top(g, i) : 0;
    }
    g->serial = job->serial;
    return true;
}

/* A place for a workgroup of the launch, NULL if the host has no memory. */
static sr_group *group_get(worker *w, packet *job) {
    sr_group *g = w->free_groups;
    if (LIKELY(g && g->serial == job->serial)) {
        w->free_groups = g->next_free;
        return g;
    }
    w->busy = 1;
    if (g) {
        w->free_groups = g->next_free;
    } else {
        g = group_new(w);
        w->group_count += g != NULL;
    }
    if (g && !group_prepare(g, job)) {
        g->serial = 0;
        g->next_free = w->free_groups;
        w->free_groups = g;
        g = NULL;
    }
    w->busy = 0;
    return g;
}

static void group_put(worker *w, sr_group *g) {
    g->next_free = w->free_groups;
    w->free_groups = g;
}

/* Set a workgroup to its start: position, shape if it is a partial one, fresh fibers. False if the
   host has no memory. */
static bool group_begin(sr_group *g, packet *job, uint32_t x, uint32_t y, uint32_t z) {
    const sr_launch *l = &job->launch;
    if (UNLIKELY(g->dirty_count)) lds_forget(g);
    if (UNLIKELY(l->items[0])) {
        uint32_t at[3] = {x, y, z}, shape[3];
        for (int i = 0; i < 3; i++) {
            uint32_t left = l->items[i] - at[i] * l->group[i];
            shape[i] = left < l->group[i] ? left : l->group[i];
        }
        bool whole = !memcmp(shape, l->group, sizeof shape);
        if (!set_shape(g, shape, l->wave_size, whole ? &g->owner->ids : &g->own_ids)) {
            fault_host(job, SR_FAULT_NO_MEMORY, 0);
            return false;
        }
    }
    uint32_t count = g->count;
    for (uint32_t i = 0; i < count; i++) {
        sr_wave *wave = &g->waves[i];
        wave->group_id[0] = x;
        wave->group_id[1] = y;
        wave->group_id[2] = z;
        wave->pc = 0;
    }
    if (l->flags & SR_FIBERS) {
        ring_make(g);
        for (uint32_t i = 0; i < count; i++) fiber_prepare(&g->waves[i]);
        g->alive = ~0ull >> (64 - count);
        g->alive_count = count;
        g->pending = (int32_t)count;
        g->idle_yields = 0;
    } else { /* a barrier of a single wave passes, of several it is misuse */
        g->alive = g->ready = count == 1;
        g->alive_count = count == 1;
        g->pending = count == 1 ? 1 : UNRULY;
    }
    g->running = g->waves;
    return true;
}
