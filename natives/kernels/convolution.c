/*
 * Causal convolution of each channel over the tokens of a sequence, with the bits of ggml_ssm_conv:
 * products are added in the order of the tokens, fused where ggml's compiler fused them. Earlier
 * inputs and the kernel are stored channel by channel. A group of channels processes all tokens one
 * after the other; ggml instead needs a tensor of the earlier and new inputs in the same layout.
 *
 * Tokens may be a tree: then the inputs before a token's own are those of its predecessors.
 */
#include "kernels.h"

/* Number of inputs of an output; all but the newest belong to earlier tokens. */
enum { TAPS = 4, KEPT = TAPS - 1 };

/* Sources: columns, kernel, earlier inputs, the target of the last inputs if they are stored. */
struct convolution {
    const struct tensor *columns, *kernel, *before, *after, *result;
};

/* Places of the inputs of a token of a tree: -1 is the last input before the first token. */
INLINE void inputs_of(int64_t where[TAPS], const int32_t *parents, int64_t token) {
    where[KEPT] = token;
    UNROLL for (int k = KEPT - 1; k >= 0; k--) {
        where[k] = where[k + 1] < 0 ? where[k + 1] - 1 : parents[where[k + 1]];
    }
}

/* The channels from `channel` on, as many as a vector has lanes, of sequence s. */
#define CONVOLUTION(NAME, TARGET, VECTOR, LANES, ZERO, LOAD, STORE, ADD_PRODUCT)                   \
    /* Transposes data from channel order to vectors. */                                            \
    __attribute__((target(TARGET))) INLINE void NAME##_turn(                                       \
            const struct convolution *c, int64_t channel, int64_t s, float taps[TAPS][LANES],      \
            float kept[KEPT][LANES]) {                                                             \
        for (int i = 0; i < LANES; i++) {                                                          \
            const float *kernel = at(c->kernel, channel + i, 0, 0);                                \
            const float *before = at(c->before, channel + i, s, 0);                                \
            UNROLL for (int k = 0; k < TAPS; k++) taps[k][i] = kernel[k];                          \
            UNROLL for (int k = 0; k < KEPT; k++) kept[k][i] = before[k];                          \
        }                                                                                          \
    }                                                                                              \
    __attribute__((target(TARGET))) static void NAME##_channels(                                   \
            const struct convolution *c, int64_t channel, int64_t s) {                             \
        float taps[TAPS][LANES] __attribute__((aligned(64)));                                      \
        float kept[KEPT][LANES] __attribute__((aligned(64)));                                      \
        NAME##_turn(c, channel, s, taps, kept);                                                    \
        VECTOR inputs[TAPS];                                                                       \
        UNROLL for (int k = 0; k < KEPT; k++) inputs[k + 1] = LOAD(kept[k]);                       \
        for (int64_t t = 0; t < c->columns->ne[1]; t++) {                                          \
            UNROLL for (int k = 0; k < KEPT; k++) inputs[k] = inputs[k + 1];                       \
            inputs[KEPT] = LOAD(at(c->columns, t, s, 0) + channel);                                \
            VECTOR sum = ZERO();                                                                   \
            UNROLL for (int k = 0; k < TAPS; k++) sum = ADD_PRODUCT(inputs[k], LOAD(taps[k]), sum);\
            STORE(at(c->result, t, s, 0) + channel, sum);                                          \
        }                                                                                          \
        if (c->after) {                                                                            \
            UNROLL for (int k = 0; k < KEPT; k++) STORE(kept[k], inputs[k + 1]);                   \
            for (int i = 0; i < LANES; i++) {                                                      \
                float *after = at(c->after, channel + i, s, 0);                                    \
                UNROLL for (int k = 0; k < KEPT; k++) after[k] = kept[k][i];                       \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    /* The same for a tree; its accepted path is unknown yet, so nothing is stored. */             \
    __attribute__((target(TARGET))) static void NAME##_branches(                                   \
            const struct convolution *c, const int32_t *parents, int64_t channel, int64_t s) {     \
        float taps[TAPS][LANES] __attribute__((aligned(64)));                                      \
        float kept[KEPT][LANES] __attribute__((aligned(64)));                                      \
        NAME##_turn(c, channel, s, taps, kept);                                                    \
        for (int64_t t = 0; t < c->columns->ne[1]; t++) {                                          \
            int64_t where[TAPS];                                                                   \
            inputs_of(where, parents, t);                                                          \
            VECTOR sum = ZERO();                                                                   \
            UNROLL for (int k = 0; k < TAPS; k++) {                                                \
                const float *input = where[k] < 0 ? kept[KEPT + where[k]]                          \
                                                  : at(c->columns, where[k], s, 0) + channel;      \
                sum = ADD_PRODUCT(LOAD(input), LOAD(taps[k]), sum);                                \
            }                                                                                      \
            STORE(at(c->result, t, s, 0) + channel, sum);                                          \
        }                                                                                          \
    }                                                                                              \
    EXPORT void varve_branches_##NAME(const struct tensor *dst, int ith, int nth, void *unused) {  \
        (void) unused;                                                                             \
        struct tensor *const *src = dst->src;                                                      \
        struct convolution c = {src[0], src[1], src[2], 0, dst};                                   \
        int64_t parts = c.columns->ne[0] / LANES, all = parts * c.columns->ne[2];                  \
        for (int64_t n = share(all, ith, nth); n < share(all, ith + 1, nth); n++) {                \
            const int32_t *parents = (const int32_t *) at(src[3], n / parts, 0, 0);                \
            NAME##_branches(&c, parents, n % parts * LANES, n / parts);                            \
        }                                                                                          \
    }                                                                                              \
    EXPORT void varve_##NAME(const struct tensor *dst, int ith, int nth, void *unused) {           \
        (void) unused;                                                                             \
        struct tensor *const *src = dst->src;                                                      \
        struct convolution c = {src[0], src[1], src[2], src[3], dst};                              \
        int64_t parts = c.columns->ne[0] / LANES, all = parts * c.columns->ne[2];                  \
        for (int64_t n = share(all, ith, nth); n < share(all, ith + 1, nth); n++) {                \
            NAME##_channels(&c, n % parts * LANES, n / parts);                                     \
        }                                                                                          \
    }

/* With vectors of 16, ggml's compiler generates no vectors of four elements. */
CONVOLUTION(convolution_avx512, AVX512, __m512, 16, _mm512_setzero_ps, _mm512_loadu_ps,
        _mm512_storeu_ps, _mm512_fmadd_ps)

/* With vectors of 8, it generates a vector of four products, and adds them one after the other. */
#define ADD_PRODUCT_256(a, b, sum) _mm256_add_ps(sum, _mm256_mul_ps(a, b))
CONVOLUTION(convolution_avx2, AVX2, __m256, 8, _mm256_setzero_ps, _mm256_loadu_ps, _mm256_storeu_ps,
        ADD_PRODUCT_256)
