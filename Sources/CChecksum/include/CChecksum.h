/* Owns CRC-32 as in zlib (WHOOP.md section 3.3) by the CPU's own instruction, which Swift cannot emit: crc32 on aarch64,
 * pclmulqdq on x86-64, a table elsewhere. Never reads a byte outside those given. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum nightstand_crc32_way { nightstand_crc32_table, nightstand_crc32_pclmulqdq, nightstand_crc32_aarch64 };

/* What this CPU has; found once, before main. */
enum nightstand_crc32_way nightstand_crc32_way(void);
/* The CRC-32 of `count` bytes, in that way. */
uint32_t nightstand_crc32(const void *bytes, size_t count);
/* The same by the table, on every CPU: what the ways are held against. */
uint32_t nightstand_crc32_by_table(const void *bytes, size_t count);
