/*
 * What Varve's kernels have in common: how they see ggml's tensors, and how ggml adds up the chains of
 * a dot product, (first + third) + (second + fourth), and the lanes of that.
 *
 * They are functions for ggml_custom_4d that need no library, and are compiled for two instruction
 * sets; the caller names the one that ggml was compiled for, and compares bits before it trusts them.
 */
#ifndef VARVE_KERNELS_H
#define VARVE_KERNELS_H

#include <immintrin.h>
#include <stdint.h>

enum { PARAMETERS = 16 };

/* The fields of ggml.h's struct ggml_tensor that are read here, and those of its parameters behind
 * what ggml_custom_4d keeps there, which are 0 at first. */
struct tensor {
    int32_t type;
    void *buffer;
    int64_t ne[4];
    uint64_t nb[4];
    int32_t op;
    int32_t op_params[PARAMETERS];
    int32_t flags;
    struct tensor *src[10];
    struct tensor *view_src;
    uint64_t view_offs;
    char *data;
};

#define EXPORT __attribute__((visibility("default")))
#define INLINE static inline __attribute__((always_inline))
/* Keeps a value in a register, where the compiler would rather read it from memory each time. */
#define KEEP(value) __asm__("" : "+v"(value))
#define UNROLL _Pragma("GCC unroll 32")

/* Chains of sums in a dot product, and sums that are added up together. */
enum { CHAINS = 4, TOGETHER = 4 };

INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Where a thread's part of a range begins; the next one's begin is its end. */
INLINE int64_t share(int64_t all, int ith, int nth) { return all * ith / nth; }

#define AVX512 "avx512f,avx512dq,avx512vl,avx512bw,f16c,fma"
#define AVX2 "avx2,f16c,fma"

/* Upper halves to lower halves, as long as there are halves; one vector has all four in the end. */
__attribute__((target(AVX512))) INLINE void sums_512(
        float results[TOGETHER], const __m512 s[TOGETHER]) {
    __m512 ab = _mm512_add_ps(
            _mm512_shuffle_f32x4(s[0], s[1], 0x44), _mm512_shuffle_f32x4(s[0], s[1], 0xee));
    __m512 cd = _mm512_add_ps(
            _mm512_shuffle_f32x4(s[2], s[3], 0x44), _mm512_shuffle_f32x4(s[2], s[3], 0xee));
    __m512 all = _mm512_add_ps(
            _mm512_shuffle_f32x4(ab, cd, 0x88), _mm512_shuffle_f32x4(ab, cd, 0xdd));
    all = _mm512_add_ps(all, _mm512_permute_ps(all, 0x4e));
    all = _mm512_add_ps(all, _mm512_permute_ps(all, 0xb1));
    UNROLL for (int n = 0; n < TOGETHER; n++) {
        results[n] = _mm_cvtss_f32(_mm512_castps512_ps128(all));
        all = _mm512_shuffle_f32x4(all, all, 0x39);
    }
}

/* The upper half to the lower one, then neighbours, and neighbours again. */
__attribute__((target(AVX2))) INLINE __m128 half_256(__m256 s) {
    return _mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
}

__attribute__((target(AVX2))) INLINE void sums_256(
        float results[TOGETHER], const __m256 s[TOGETHER]) {
    __m128 ab = _mm_hadd_ps(half_256(s[0]), half_256(s[1]));
    __m128 cd = _mm_hadd_ps(half_256(s[2]), half_256(s[3]));
    _mm_storeu_ps(results, _mm_hadd_ps(ab, cd));
}

#endif
