#include <cudnn.h>
void f(void *d) { cudnnBackendFinalize(d); }
