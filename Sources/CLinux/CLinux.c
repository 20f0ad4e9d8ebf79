/* The header is all there is; a C target needs one source. */
#include "CLinux.h"
