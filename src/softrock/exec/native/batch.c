/* Batches: pieces of work written down once and enqueued as one packet. The packet becomes each piece in turn, so that a
   piece costs neither memory nor a lock of its own. */
#include "rt.h"

typedef struct piece {
    enum packet_kind kind;
    uint32_t waves_per_group;
    uint64_t total;
    union {
        sr_launch launch;
        sr_copy copy;
        sr_fill fill;
    };
    uint8_t *block;          /* of a launch: AQL packet, then the arguments, then the name */
    const char *name;
} piece;

struct sr_batch {
    _Atomic uint32_t refs;   /* of the maker and of each packet */
    uint32_t count, room, launches;
    _Atomic bool closed;     /* it was enqueued: packets read its pieces without a lock */
    piece *pieces;
};

sr_batch *sr_batch_new(void) {
    sr_batch *batch = calloc(1, sizeof *batch);
    if (batch) batch->refs = 1;
    return batch;
}

static void batch_unref(sr_batch *batch) {
    if (atomic_fetch_sub(&batch->refs, 1) != 1) return;
    for (uint32_t i = 0; i < batch->count; i++) free(batch->pieces[i].block);
    free(batch->pieces);
    free(batch);
}

/* What is enqueued still runs. */
void sr_batch_free(sr_batch *batch) { batch_unref(batch); }

static piece *piece_new(sr_batch *batch, enum packet_kind kind) {
    if (batch->count == batch->room) {
        uint32_t room = batch->room ? batch->room * 2 : 16;
        piece *grown = realloc(batch->pieces, room * sizeof *grown);
        if (!grown) return NULL;
        batch->pieces = grown;
        batch->room = room;
    }
    piece *at = &batch->pieces[batch->count++];
    memset(at, 0, sizeof *at);
    at->kind = kind;
    return at;
}

int sr_batch_launch(sr_batch *batch, const sr_launch *launch) {
    if (batch->closed) return -EBUSY;
    if (!launch_valid(launch)) return -EINVAL;
    const char *name = launch->name ? launch->name : "";
    uint64_t room = round_up(launch->kernarg_bytes + KERNARG_SLACK, 64), length = strlen(name) + 1;
    void *block;
    if (posix_memalign(&block, 64, 64 + room + length)) return -ENOMEM;
    piece *p = piece_new(batch, LAUNCH);
    if (!p) {
        free(block);
        return -ENOMEM;
    }
    uint8_t *kernarg = (uint8_t *)block + 64;
    p->block = block;
    launch_take(&p->launch, launch);
    memcpy(kernarg, launch->kernarg, launch->kernarg_bytes);
    memset(kernarg + launch->kernarg_bytes, 0, room - launch->kernarg_bytes);
    p->launch.kernarg = kernarg;
    p->name = memcpy(kernarg + room, name, length);
    launch_count(&p->launch, &p->total, &p->waves_per_group);
    fill_aql(&p->launch, block, (uint64_t)kernarg);
    batch->launches++;
    return 0;
}

int sr_batch_copy(sr_batch *batch, const sr_copy *copy) {
    if (batch->closed) return -EBUSY;
    piece *p = piece_new(batch, COPY);
    if (!p) return -ENOMEM;
    p->copy = *copy;
    p->total = copy_pieces(copy);
    return 0;
}

int sr_batch_fill(sr_batch *batch, const sr_fill *fill) {
    if (batch->closed) return -EBUSY;
    if (!fill_valid(fill)) return -EINVAL;
    piece *p = piece_new(batch, FILL);
    if (!p) return -ENOMEM;
    p->fill = *fill;
    p->total = fill_pieces(fill);
    return 0;
}

int64_t sr_enqueue_batch(sr_queue *q, sr_batch *batch) {
    packet *p = packet_new(q, BATCH, 0);
    if (!p) return -ENOMEM;
    batch->closed = true;
    atomic_fetch_add(&batch->refs, 1);
    p->batch = batch;
    int64_t seq = enqueue_many(q, p, batch->launches);
    if (seq < 0) batch_unref(batch);
    return seq;
}

/* Make the packet the next piece. No other worker knows of it now: the piece before has ended. */
static void piece_load(packet *p, const piece *from) {
    bool launch = from->kind == LAUNCH;
    if (launch) p->launch = from->launch;
    else if (from->kind == COPY) p->copy = from->copy;
    else p->fill = from->fill;
    p->kind = from->kind;
    p->name = from->name;
    p->aql_at = (uint64_t)from->block;
    p->kernarg_at = (uint64_t)from->block + 64;
    p->total = from->total;
    p->waves_per_group = from->waves_per_group;
    p->stop = 0;
    p->serial = atomic_fetch_add_explicit(&pool.serial, 1, memory_order_relaxed) + 1;
}

/* Run what is left of the batch. False when another worker ends the present piece and goes on. */
static bool batch_run(worker *w, packet *p) {
    const sr_batch *batch = p->batch;
    while (p->batch_next < batch->count && !p->fault.kind) {
        p->dispatch_id += p->kind == LAUNCH;
        piece_load(p, &batch->pieces[p->batch_next++]);
        if (!work_run(w, p)) return false;
    }
    return true;
}
