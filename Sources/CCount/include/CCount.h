/* Owns counting the heap: malloc and its kin as the whole process calls them. For benchmarks only. */
#pragma once
/* Allocations so far, by any thread. */
unsigned long nightstand_allocations(void);
