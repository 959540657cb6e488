#include <cusparse.h>
void f() { csrsv2Info x; int y = CUSPARSE_ALG_NAIVE; }
