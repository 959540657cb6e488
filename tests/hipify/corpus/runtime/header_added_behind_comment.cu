// A program.

#include <stdio.h>
int main() { return cudaDeviceReset(); }
