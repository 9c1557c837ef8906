/*
 * The gated delta rule with the bits of ggml's ggml_gated_delta_net, in place of the states' rows.
 * Per token, head and row j of its state, which stands for element j of the values:
 *
 *     row *= decay;  row += key * ((value[j] - row . key) * beta);  out[j] = (row . query) / sqrt(size)
 *
 * A row takes no part in another one's numbers. So a few rows take in all tokens while they lie in the
 * first cache, where ggml goes through the whole state four times for each token, and copies it out.
 */
#include "kernels.h"

/* Most elements of a row. */
enum { MOST = 256 };

/* Extents as in ggml_gated_delta_net, but decay is no logarithm. Without queries there is no result. */
struct rule {
    const struct tensor *query, *key, *value, *decay, *beta, *before, *after;
    const struct tensor *result;
};

INLINE float *at(const struct tensor *t, int64_t i1, int64_t i2, int64_t i3) {
    return (float *) (t->data + i1 * (int64_t) t->nb[1] + i2 * (int64_t) t->nb[2]
            + i3 * (int64_t) t->nb[3]);
}

/*
 * Rows j to j + TOGETHER - 1 of a head. Going through them once for the decay and the key, and once
 * more for what the token adds and the query, has the chains of ggml_vec_dot_f32.
 */
#define RULE(NAME, TARGET, VECTOR, LANES, ZERO, SET, LOAD, STORE, MUL, FMA, ADD, SUMS)             \
    __attribute__((target(TARGET))) INLINE void NAME##_sized(                                      \
            const struct rule *rule, int64_t j, int64_t h, int64_t s, const int64_t size) {        \
        float rows[TOGETHER][MOST] __attribute__((aligned(64)));                                   \
        for (int i = 0; i < TOGETHER; i++) {                                                       \
            const float *before = at(rule->before, j + i, h, s);                                   \
            for (int64_t n = 0; n < size; n += LANES) STORE(rows[i] + n, LOAD(before + n));        \
        }                                                                                          \
        const int64_t key_head = h % rule->key->ne[1];                                             \
        const __m128 scale = _mm_div_ps(                                                           \
                _mm_set1_ps(1), _mm_sqrt_ps(_mm_set1_ps((float) size)));                           \
        for (int64_t t = 0; t < rule->value->ne[2]; t++) {                                         \
            const float *key = at(rule->key, key_head, t, s);                                      \
            const VECTOR decay = SET(*at(rule->decay, h, t, s));                                   \
            VECTOR chains[TOGETHER][CHAINS], all[TOGETHER];                                        \
            UNROLL for (int c = 0; c < CHAINS; c++) {                                              \
                UNROLL for (int i = 0; i < TOGETHER; i++) chains[i][c] = ZERO();                   \
                for (int64_t n = c * LANES; n < size; n += CHAINS * LANES) {                       \
                    VECTOR k = LOAD(key + n);                                                      \
                    UNROLL for (int i = 0; i < TOGETHER; i++) {                                    \
                        VECTOR row = MUL(LOAD(rows[i] + n), decay);                                \
                        STORE(rows[i] + n, row);                                                   \
                        chains[i][c] = FMA(row, k, chains[i][c]);                                  \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
            float sums[TOGETHER], deltas[TOGETHER];                                                \
            UNROLL for (int i = 0; i < TOGETHER; i++) {                                            \
                all[i] = ADD(ADD(chains[i][0], chains[i][2]), ADD(chains[i][1], chains[i][3]));    \
            }                                                                                      \
            SUMS(sums, all);                                                                       \
            _mm_storeu_ps(deltas,                                                                  \
                    _mm_mul_ps(_mm_sub_ps(_mm_loadu_ps(at(rule->value, h, t, s) + j),              \
                                       _mm_loadu_ps(sums)),                                        \
                            _mm_set1_ps(*at(rule->beta, h, t, s))));                               \
            const float *query =                                                                   \
                    rule->query ? at(rule->query, h % rule->query->ne[1], t, s) : key;             \
            UNROLL for (int c = 0; c < CHAINS; c++) {                                              \
                UNROLL for (int i = 0; i < TOGETHER; i++) chains[i][c] = ZERO();                   \
                for (int64_t n = c * LANES; n < size; n += CHAINS * LANES) {                       \
                    VECTOR k = LOAD(key + n), q = LOAD(query + n);                                 \
                    UNROLL for (int i = 0; i < TOGETHER; i++) {                                    \
                        VECTOR row = FMA(k, SET(deltas[i]), LOAD(rows[i] + n));                    \
                        STORE(rows[i] + n, row);                                                   \
                        chains[i][c] = FMA(row, q, chains[i][c]);                                  \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
            if (rule->query) {                                                                     \
                UNROLL for (int i = 0; i < TOGETHER; i++) {                                        \
                    all[i] = ADD(                                                                  \
                            ADD(chains[i][0], chains[i][2]), ADD(chains[i][1], chains[i][3]));     \
                }                                                                                  \
                SUMS(sums, all);                                                                   \
                _mm_storeu_ps(at(rule->result, h, t, s) + j,                                       \
                        _mm_mul_ps(_mm_loadu_ps(sums), scale));                                    \
            }                                                                                      \
        }                                                                                          \
        if (rule->after) {                                                                         \
            for (int i = 0; i < TOGETHER; i++) {                                                   \
                float *after = at(rule->after, j + i, h, s);                                       \
                for (int64_t n = 0; n < size; n += LANES) STORE(after + n, LOAD(rows[i] + n));     \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    __attribute__((target(TARGET))) static void NAME(                                              \
            const struct rule *rule, int64_t j, int64_t h, int64_t s) {                            \
        switch (rule->value->ne[0]) {                                                              \
            case 64: NAME##_sized(rule, j, h, s, 64); break;                                       \
            case 128: NAME##_sized(rule, j, h, s, 128); break;                                     \
            default: NAME##_sized(rule, j, h, s, rule->value->ne[0]);                              \
        }                                                                                          \
    }

RULE(rule_512, AVX512, __m512, 16, _mm512_setzero_ps, _mm512_set1_ps, _mm512_loadu_ps,
        _mm512_storeu_ps, _mm512_mul_ps, _mm512_fmadd_ps, _mm512_add_ps, sums_512)
RULE(rule_256, AVX2, __m256, 8, _mm256_setzero_ps, _mm256_set1_ps, _mm256_loadu_ps,
        _mm256_storeu_ps, _mm256_mul_ps, _mm256_fmadd_ps, _mm256_add_ps, sums_256)

INLINE void apply(const struct rule *rule, int ith, int nth,
        void (*few_rows)(const struct rule *, int64_t, int64_t, int64_t)) {
    const int64_t *ne = rule->value->ne;
    int64_t parts = ne[0] / TOGETHER, all = parts * ne[1] * ne[3];
    for (int64_t n = share(all, ith, nth); n < share(all, ith + 1, nth); n++) {
        few_rows(rule, n % parts * TOGETHER, n / parts % ne[1], n / parts / ne[1]);
    }
}

/* Sources: queries, keys, values, decays, betas, states before and, where they are kept, after. */
INLINE struct rule rule_of(const struct tensor *dst) {
    struct tensor *const *src = dst->src;
    return (struct rule){src[0], src[1], src[2], src[3], src[4], src[5], src[6], dst};
}

/* Sources: keys, values, decays, betas, states before and after; `dst` is left as it is. */
INLINE struct rule advance_of(const struct tensor *dst) {
    struct tensor *const *src = dst->src;
    return (struct rule){0, src[0], src[1], src[2], src[3], src[4], src[5], dst};
}

#define OPERATOR(NAME, RULE_OF, FEW_ROWS)                                                          \
    EXPORT void NAME(const struct tensor *dst, int ith, int nth, void *unused) {                   \
        (void) unused;                                                                             \
        struct rule rule = RULE_OF(dst);                                                           \
        apply(&rule, ith, nth, FEW_ROWS);                                                          \
    }

OPERATOR(varve_delta_avx512, rule_of, rule_512)
OPERATOR(varve_advance_avx512, advance_of, rule_512)
OPERATOR(varve_delta_avx2, rule_of, rule_256)
OPERATOR(varve_advance_avx2, advance_of, rule_256)
