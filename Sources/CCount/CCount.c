/* Stands before glibc's allocator and counts. A free costs what its allocation has cost: only those are counted. */
#include "CCount.h"
#include <errno.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static unsigned long count;
#define COUNT() __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED)

unsigned long nightstand_allocations(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }
void *malloc(size_t size) { COUNT(); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { COUNT(); return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { COUNT(); return __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { COUNT(); return __libc_memalign(alignment, size); }
void *memalign(size_t alignment, size_t size) { COUNT(); return __libc_memalign(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
    COUNT();
    *out = __libc_memalign(alignment, size);
    return *out || !size ? 0 : ENOMEM;
}
