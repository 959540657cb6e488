#include <cub/cub.cuh>
cub::NoSuchThing x;
