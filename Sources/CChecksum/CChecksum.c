/* Owns the three ways to the same CRC-32 and the choice between them. Every bit here is reflected: the lowest bit of the
 * first byte is the highest power of x. The state starts as ~0 and is inverted at the end. */
#include "CChecksum.h"
#include <string.h>

/* One step of CRC-32 (0xEDB88320) for each byte value. */
static const uint32_t table[256] = {
    0x00000000, 0x77073096, 0xee0e612c, 0x990951ba, 0x076dc419, 0x706af48f, 0xe963a535, 0x9e6495a3,
    0x0edb8832, 0x79dcb8a4, 0xe0d5e91e, 0x97d2d988, 0x09b64c2b, 0x7eb17cbd, 0xe7b82d07, 0x90bf1d91,
    0x1db71064, 0x6ab020f2, 0xf3b97148, 0x84be41de, 0x1adad47d, 0x6ddde4eb, 0xf4d4b551, 0x83d385c7,
    0x136c9856, 0x646ba8c0, 0xfd62f97a, 0x8a65c9ec, 0x14015c4f, 0x63066cd9, 0xfa0f3d63, 0x8d080df5,
    0x3b6e20c8, 0x4c69105e, 0xd56041e4, 0xa2677172, 0x3c03e4d1, 0x4b04d447, 0xd20d85fd, 0xa50ab56b,
    0x35b5a8fa, 0x42b2986c, 0xdbbbc9d6, 0xacbcf940, 0x32d86ce3, 0x45df5c75, 0xdcd60dcf, 0xabd13d59,
    0x26d930ac, 0x51de003a, 0xc8d75180, 0xbfd06116, 0x21b4f4b5, 0x56b3c423, 0xcfba9599, 0xb8bda50f,
    0x2802b89e, 0x5f058808, 0xc60cd9b2, 0xb10be924, 0x2f6f7c87, 0x58684c11, 0xc1611dab, 0xb6662d3d,
    0x76dc4190, 0x01db7106, 0x98d220bc, 0xefd5102a, 0x71b18589, 0x06b6b51f, 0x9fbfe4a5, 0xe8b8d433,
    0x7807c9a2, 0x0f00f934, 0x9609a88e, 0xe10e9818, 0x7f6a0dbb, 0x086d3d2d, 0x91646c97, 0xe6635c01,
    0x6b6b51f4, 0x1c6c6162, 0x856530d8, 0xf262004e, 0x6c0695ed, 0x1b01a57b, 0x8208f4c1, 0xf50fc457,
    0x65b0d9c6, 0x12b7e950, 0x8bbeb8ea, 0xfcb9887c, 0x62dd1ddf, 0x15da2d49, 0x8cd37cf3, 0xfbd44c65,
    0x4db26158, 0x3ab551ce, 0xa3bc0074, 0xd4bb30e2, 0x4adfa541, 0x3dd895d7, 0xa4d1c46d, 0xd3d6f4fb,
    0x4369e96a, 0x346ed9fc, 0xad678846, 0xda60b8d0, 0x44042d73, 0x33031de5, 0xaa0a4c5f, 0xdd0d7cc9,
    0x5005713c, 0x270241aa, 0xbe0b1010, 0xc90c2086, 0x5768b525, 0x206f85b3, 0xb966d409, 0xce61e49f,
    0x5edef90e, 0x29d9c998, 0xb0d09822, 0xc7d7a8b4, 0x59b33d17, 0x2eb40d81, 0xb7bd5c3b, 0xc0ba6cad,
    0xedb88320, 0x9abfb3b6, 0x03b6e20c, 0x74b1d29a, 0xead54739, 0x9dd277af, 0x04db2615, 0x73dc1683,
    0xe3630b12, 0x94643b84, 0x0d6d6a3e, 0x7a6a5aa8, 0xe40ecf0b, 0x9309ff9d, 0x0a00ae27, 0x7d079eb1,
    0xf00f9344, 0x8708a3d2, 0x1e01f268, 0x6906c2fe, 0xf762575d, 0x806567cb, 0x196c3671, 0x6e6b06e7,
    0xfed41b76, 0x89d32be0, 0x10da7a5a, 0x67dd4acc, 0xf9b9df6f, 0x8ebeeff9, 0x17b7be43, 0x60b08ed5,
    0xd6d6a3e8, 0xa1d1937e, 0x38d8c2c4, 0x4fdff252, 0xd1bb67f1, 0xa6bc5767, 0x3fb506dd, 0x48b2364b,
    0xd80d2bda, 0xaf0a1b4c, 0x36034af6, 0x41047a60, 0xdf60efc3, 0xa867df55, 0x316e8eef, 0x4669be79,
    0xcb61b38c, 0xbc66831a, 0x256fd2a0, 0x5268e236, 0xcc0c7795, 0xbb0b4703, 0x220216b9, 0x5505262f,
    0xc5ba3bbe, 0xb2bd0b28, 0x2bb45a92, 0x5cb36a04, 0xc2d7ffa7, 0xb5d0cf31, 0x2cd99e8b, 0x5bdeae1d,
    0x9b64c2b0, 0xec63f226, 0x756aa39c, 0x026d930a, 0x9c0906a9, 0xeb0e363f, 0x72076785, 0x05005713,
    0x95bf4a82, 0xe2b87a14, 0x7bb12bae, 0x0cb61b38, 0x92d28e9b, 0xe5d5be0d, 0x7cdcefb7, 0x0bdbdf21,
    0x86d3d2d4, 0xf1d4e242, 0x68ddb3f8, 0x1fda836e, 0x81be16cd, 0xf6b9265b, 0x6fb077e1, 0x18b74777,
    0x88085ae6, 0xff0f6a70, 0x66063bca, 0x11010b5c, 0x8f659eff, 0xf862ae69, 0x616bffd3, 0x166ccf45,
    0xa00ae278, 0xd70dd2ee, 0x4e048354, 0x3903b3c2, 0xa7672661, 0xd06016f7, 0x4969474d, 0x3e6e77db,
    0xaed16a4a, 0xd9d65adc, 0x40df0b66, 0x37d83bf0, 0xa9bcae53, 0xdebb9ec5, 0x47b2cf7f, 0x30b5ffe9,
    0xbdbdf21c, 0xcabac28a, 0x53b39330, 0x24b4a3a6, 0xbad03605, 0xcdd70693, 0x54de5729, 0x23d967bf,
    0xb3667a2e, 0xc4614ab8, 0x5d681b02, 0x2a6f2b94, 0xb40bbe37, 0xc30c8ea1, 0x5a05df1b, 0x2d02ef8d,
};

static uint32_t by_table(const uint8_t *p, size_t n) {
    uint32_t crc = ~0u;
    for (; n; n--) crc = crc >> 8 ^ table[(crc ^ *p++) & 0xff];
    return ~crc;
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#define PCLMUL __attribute__((target("pclmul,sse4.1")))
#define LOAD(p) _mm_loadu_si128((const __m128i *)(p))

/* Multipliers of Intel's white paper "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction" (Gopal et
 * al., 2009), its bit-reflected ones for 0x04C11DB7: each is a power of x modulo P, reflected and shifted up by one. */
#define K1 0x154442bd4 /* x^(512+32): the lower half of a state 64 bytes on */
#define K2 0x1c6e41596 /* x^(512-32): its upper half */
#define K3 0x1751997d0 /* x^(128+32): the lower half 16 bytes on */
#define K4 0x0ccaa009e /* x^(128-32): its upper half */
#define K5 0x163cd6124 /* x^64 */
#define P  0x1db710641 /* the polynomial with its x^32 */
#define U  0x1f7011641 /* x^64 / P */

/* 16 bytes' worth of state, moved on as far as k's two powers say, joined to the bytes that lie there. */
PCLMUL static inline __m128i fold(__m128i state, __m128i k, __m128i there) {
    return _mm_xor_si128(there, _mm_xor_si128(_mm_clmulepi64_si128(state, k, 0x00), _mm_clmulepi64_si128(state, k, 0x11)));
}

PCLMUL static uint32_t by_pclmulqdq(const uint8_t *p, size_t n) {
    if (n < 16) return by_table(p, n);
    const uint8_t *end = p + n;
    const __m128i k12 = _mm_set_epi64x(K2, K1), k34 = _mm_set_epi64x(K4, K3), low = _mm_set_epi64x(0, 0xffffffff);
    __m128i x = _mm_xor_si128(LOAD(p), low);
    p += 16;

    if (n >= 128) { /* four states side by side hide the multiplier's latency */
        __m128i y = LOAD(p), z = LOAD(p + 16), w = LOAD(p + 32);
        for (p += 48; end - p >= 64; p += 64) {
            x = fold(x, k12, LOAD(p));
            y = fold(y, k12, LOAD(p + 16));
            z = fold(z, k12, LOAD(p + 32));
            w = fold(w, k12, LOAD(p + 48));
        }
        x = fold(fold(fold(x, k34, y), k34, z), k34, w);
    }
    for (; end - p >= 16; p += 16) x = fold(x, k34, LOAD(p));

    if (p < end) {
        /* r bytes are left: the state's first r bytes move on past the last 16 bytes of all, which are the rest of the
         * state and those r. Shuffling with these indices moves bytes up or down; 0x80 and above gives zero. */
        static const uint8_t slide[48] = {
            0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
            0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        };
        const __m128i up = LOAD(slide + (end - p)), down = LOAD(slide + 16 + (end - p));
        x = fold(_mm_shuffle_epi8(x, up), k34, _mm_blendv_epi8(_mm_shuffle_epi8(x, down), LOAD(end - 16), down));
    }

    /* 128 bits to 96, to 64, to 32 (Barrett). */
    x = _mm_xor_si128(_mm_srli_si128(x, 8), _mm_clmulepi64_si128(x, k34, 0x10));
    x = _mm_xor_si128(_mm_srli_si128(x, 4), _mm_clmulepi64_si128(_mm_and_si128(x, low), _mm_set_epi64x(0, K5), 0x00));
    const __m128i pu = _mm_set_epi64x(U, P);
    __m128i q = _mm_clmulepi64_si128(_mm_and_si128(x, low), pu, 0x10);
    q = _mm_clmulepi64_si128(_mm_and_si128(q, low), pu, 0x00);
    return ~(uint32_t)_mm_extract_epi32(_mm_xor_si128(x, q), 1);
}
#endif

#if defined(__aarch64__) && defined(__linux__)
#include <arm_acle.h>
#include <sys/auxv.h>

__attribute__((target("crc"))) static uint32_t by_crc32(const uint8_t *p, size_t n) {
    uint32_t crc = ~0u;
    for (uint64_t v; n >= 8; p += 8, n -= 8) crc = __crc32d(crc, (memcpy(&v, p, 8), v));
    if (n & 4) { uint32_t v; memcpy(&v, p, 4); crc = __crc32w(crc, v); p += 4; }
    for (n &= 3; n; n--) crc = __crc32b(crc, *p++);
    return ~crc;
}
#endif

/* The table until the constructor has run. */
static uint32_t (*chosen)(const uint8_t *, size_t) = by_table;
static enum nightstand_crc32_way way = nightstand_crc32_table;

__attribute__((constructor)) static void choose(void) {
#if defined(__x86_64__)
    unsigned a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_PCLMUL) && (c & bit_SSE4_1)) {
        chosen = by_pclmulqdq;
        way = nightstand_crc32_pclmulqdq;
    }
#elif defined(__aarch64__) && defined(__linux__)
    if (getauxval(AT_HWCAP) & 1 << 7) { /* HWCAP_CRC32 of asm/hwcap.h */
        chosen = by_crc32;
        way = nightstand_crc32_aarch64;
    }
#endif
}

enum nightstand_crc32_way nightstand_crc32_way(void) { return way; }
uint32_t nightstand_crc32(const void *bytes, size_t count) { return chosen(bytes, count); }
uint32_t nightstand_crc32_by_table(const void *bytes, size_t count) { return by_table(bytes, count); }
