#include <hip/hip_fp8.h>
// softrock-gpu: gfx942
#define FP8_E4M3_MAX 448
//                   ^~~ warning fp8-limit
#define TILE 448
const int max_fp8 = 448;
//                  ^~~ warning fp8-limit
using Tile = Shape<448, 240>;
int width = 448;
