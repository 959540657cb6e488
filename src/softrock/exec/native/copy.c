/* Copies and fills. Large ones in one piece are cut up, so that several workers do them like a launch. */
#include "rt.h"

#define PIECE (4ull << 20)
#define STREAM (32ull << 20) /* copies and fills from this size on go around the caches, which they would only empty */

typedef uint64_t lanes16 __attribute__((vector_size(16)));
typedef uint64_t loose16 __attribute__((vector_size(16), aligned(1)));

static uint64_t pieces(uint64_t bytes) { return bytes < 2 * PIECE ? 1 : (bytes + PIECE - 1) / PIECE; }

static uint64_t copy_pieces(const sr_copy *c) {
    bool overlap = c->dst < c->src + c->width && c->src < c->dst + c->width;
    return c->height != 1 || c->depth != 1 || overlap ? 1 : pieces(c->width);
}

static uint64_t fill_pieces(const sr_fill *f) {
    return f->height != 1 || f->depth != 1 ? 1 : pieces(f->width * f->element);
}

static bool fill_valid(const sr_fill *f) { return f->element == 1 || f->element == 2 || f->element == 4; }

static void copy_box(const sr_copy *c) {
    for (uint64_t z = 0; z < c->depth; z++)
        for (uint64_t y = 0; y < c->height; y++)
            memmove((void *)(c->dst + z * c->dst_slice + y * c->dst_pitch),
                    (const void *)(c->src + z * c->src_slice + y * c->src_pitch), c->width);
}

static void fill_row(uint64_t dst, uint64_t count, const sr_fill *f) {
    if (f->element == 1) {
        memset((void *)dst, (int)f->value, count);
    } else if (f->element == 2) {
        for (uint64_t i = 0; i < count; i++) ((uint16_t *)dst)[i] = (uint16_t)f->value;
    } else {
        for (uint64_t i = 0; i < count; i++) ((uint32_t *)dst)[i] = f->value;
    }
}

static void fill_box(const sr_fill *f) {
    for (uint64_t z = 0; z < f->depth; z++)
        for (uint64_t y = 0; y < f->height; y++) fill_row(f->dst + z * f->slice + y * f->pitch, f->width, f);
}

static void stream_end(void) {
#if defined(__x86_64__)
    __builtin_ia32_sfence(); /* what was stored around the caches becomes visible before what follows */
#endif
}

static void stream_copy(uint64_t dst, uint64_t src, uint64_t bytes) {
    uint64_t head = -dst & 63;
    if (head > bytes) head = bytes;
    memcpy((void *)dst, (const void *)src, head);
    dst += head, src += head, bytes -= head;
    for (; bytes >= 64; dst += 64, src += 64, bytes -= 64)
        for (int i = 0; i < 4; i++)
            __builtin_nontemporal_store((lanes16)((const loose16 *)src)[i], (lanes16 *)dst + i);
    memcpy((void *)dst, (const void *)src, bytes);
    stream_end();
}

static void stream_fill(uint64_t dst, uint64_t count, const sr_fill *f) {
    uint64_t head = -dst & 63, bytes = count * f->element;
    if (dst % f->element || head > bytes) {
        fill_row(dst, count, f);
        return;
    }
    uint64_t word = f->element == 1   ? (f->value & 255) * 0x0101010101010101ull
                    : f->element == 2 ? (f->value & 65535) * 0x0001000100010001ull
                                      : f->value * 0x0000000100000001ull;
    fill_row(dst, head / f->element, f);
    dst += head, bytes -= head;
    for (; bytes >= 64; dst += 64, bytes -= 64)
        for (int i = 0; i < 4; i++) __builtin_nontemporal_store((lanes16){word, word}, (lanes16 *)dst + i);
    fill_row(dst, bytes / f->element, f);
    stream_end();
}

static void run_piece(packet *job, uint64_t number) {
    uint64_t from = number * PIECE;
    if (job->kind == COPY) {
        const sr_copy *c = &job->copy;
        uint64_t left = c->width - from;
        if (left > PIECE) left = PIECE;
        if (c->width >= STREAM) stream_copy(c->dst + from, c->src + from, left);
        else memcpy((void *)(c->dst + from), (const void *)(c->src + from), left);
    } else {
        const sr_fill *f = &job->fill;
        uint64_t left = f->width * f->element - from;
        if (left > PIECE) left = PIECE;
        (f->width * f->element >= STREAM ? stream_fill : fill_row)(f->dst + from, left / f->element, f);
    }
}

/* This worker's part of a copy or fill. */
static void run_copy(worker *w, packet *job) {
    if (job->total == 1) {
        if (job->kind == COPY) copy_box(&job->copy);
        else fill_box(&job->fill);
        return;
    }
    uint64_t end;
    while (!atomic_load(&job->stop)) {
        uint64_t number = take(w, job, 1, &end);
        if (number >= end) return;
        run_piece(job, number);
    }
}
