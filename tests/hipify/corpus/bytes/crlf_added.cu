#include <stdio.h>
int x = cudaSuccess;
