#include <cufile.h>
void f(CUfileHandle_t h, void *p) { cuFileDriverOpen(); cuFileRead(h, p, 4, 0, 0); }
