/*
 * Common code of Varve's kernels: ggml's tensors, and the order in which ggml adds the chains of a
 * dot product, (first + third) + (second + fourth), and then the lanes of the sum.
 *
 * The kernels are functions for ggml_custom_4d that need no library, and are compiled for two
 * instruction sets; the caller selects the one of the loaded ggml, and compares bits before it uses
 * them.
 */
#ifndef VARVE_KERNELS_H
#define VARVE_KERNELS_H

#include <immintrin.h>
#include <stdint.h>

enum { PARAMETERS = 16 };

/* The fields of ggml.h's struct ggml_tensor that the kernels read, and those of its parameters after
 * the ones of ggml_custom_4d, which are initially 0. */
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
/* Keeps a value in a register; otherwise the compiler would read it from memory each time. */
#define KEEP(value) __asm__("" : "+v"(value))
#define UNROLL _Pragma("GCC unroll 32")

/* Chains of sums in a dot product, and sums that are added together. */
enum { CHAINS = 4, TOGETHER = 4 };

INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Begin of a thread's part of a range; the begin of the next part is its end. */
INLINE int64_t share(int64_t all, int ith, int nth) { return all * ith / nth; }

INLINE float *at(const struct tensor *t, int64_t i1, int64_t i2, int64_t i3) {
    return (float *) (t->data + i1 * (int64_t) t->nb[1] + i2 * (int64_t) t->nb[2]
            + i3 * (int64_t) t->nb[3]);
}

/* Maximum tokens of a tree. */
enum { MOST_NODES = 64 };

/*
 * A tree of tokens in the order of processing: the first successor of a token comes directly after
 * it. `forks` marks the tokens with several successors, `level` is the number of predecessors.
 */
struct walk {
    int32_t order[MOST_NODES], level[MOST_NODES], forks[MOST_NODES];
    int32_t levels;
};

/* The tree of tokens, each of which follows an earlier one; the first token has no predecessor. */
INLINE void walk_of(struct walk *w, const int32_t *parents, int64_t tokens) {
    int32_t child[MOST_NODES], sibling[MOST_NODES];
    w->levels = 1;
    for (int64_t i = 0; i < tokens; i++) {
        child[i] = -1;
        sibling[i] = -1;
        w->level[i] = i == 0 ? 0 : w->level[parents[i]] + 1;
        w->levels = w->level[i] < w->levels ? w->levels : w->level[i] + 1;
    }
    for (int64_t i = tokens - 1; i > 0; i--) {
        sibling[i] = child[parents[i]];
        child[parents[i]] = (int32_t) i;
    }
    int32_t token = 0;
    for (int64_t n = 0; n < tokens; n++) {
        w->order[n] = token;
        w->forks[token] = child[token] >= 0 && sibling[child[token]] >= 0;
        if (child[token] >= 0) {
            token = child[token];
            continue;
        }
        while (token > 0 && sibling[token] < 0) token = parents[token];
        token = token > 0 ? sibling[token] : 0;
    }
}

/*
 * The parts of an operator's work. Three quarters are assigned to threads in advance; the threads
 * that finish first take the rest, since the speed of cores varies. `taken` and `done` are in the
 * parameters of the operator, and the last thread that finds no more parts resets them.
 */
struct parts {
    int32_t *taken, *done;
    int64_t at, end, shared, all;
};

INLINE struct parts parts_of(const struct tensor *dst, int64_t all, int ith, int nth) {
    int32_t *counts = (int32_t *) dst->op_params + PARAMETERS - 2;
    int64_t shared = all - all / 4;
    return (struct parts){counts, counts + 1, share(shared, ith, nth), share(shared, ith + 1, nth),
            shared, all};
}

/* Returns the next part of a thread; `all` or more if there is none. */
INLINE int64_t next_part(struct parts *p) {
    return p->at < p->end ? p->at++
                          : p->shared + __atomic_fetch_add(p->taken, 1, __ATOMIC_RELAXED);
}

/* Called by each thread when it has found no more parts. */
INLINE void finish(struct parts *p, int nth) {
    if (__atomic_add_fetch(p->done, 1, __ATOMIC_ACQ_REL) == nth) {
        *p->taken = 0;
        *p->done = 0;
    }
}

#define AVX512 "avx512f,avx512dq,avx512vl,avx512bw,f16c,fma"
#define AVX2 "avx2,f16c,fma"

/* Adds upper halves to lower halves; finally one vector has all four sums. */
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

/* Adds the upper half to the lower one, then adjacent lanes, twice. */
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
