#include <cuComplex.h>
cuFloatComplex f(cuDoubleComplex d) { return make_cuFloatComplex(cuCreal(d), cuCabs(d)); }
