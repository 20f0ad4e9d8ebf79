#pragma once
#include <sqlite3.h>
/* The destructor constant is a cast, which Swift cannot import. */
static inline sqlite3_destructor_type nightstand_sqlite_transient(void) { return SQLITE_TRANSIENT; }
