/* Part of softrock (MIT licence, see LICENSE). Launches without Python; see fast.c. */
#ifndef SOFTROCK_ABI_FAST_H
#define SOFTROCK_ABI_FAST_H
#include <stdint.h>

int sr_fast_kernel(const void *described);
/* Host addresses may come to mean other kernels: forget all. */
void sr_fast_forget(void);
int sr_fast_stream(uint64_t handle, void *queue, int device);
/* Returns 0 where Python must do the launch. */
int sr_fast_launch(uint64_t key, uint64_t stream, const uint32_t *grid, const uint32_t *block, uint64_t shared,
                   void **pointers, void **extra);
#endif
