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

/*
 * ROWS rows of a head from j on. They are gone through once per token, for what it adds, for
 * its query, and for the decay and the key of the next one: PASS, of which the first one only has the
 * latter and the last one only the former. The chains are those of ggml_vec_dot_f32.
 */
#define RULE(NAME, TARGET, VECTOR, LANES, ROWS, ZERO, SET, LOAD, STORE, MUL, FMA, ADD, SUMS)       \
    struct NAME##_pass {                                                                           \
        const float *key, *query, *next_key;                                                       \
        float deltas[ROWS], next_decay;                                                            \
    };                                                                                             \
    __attribute__((target(TARGET))) INLINE void NAME##_sized_pass(float rows[ROWS][MOST],          \
            const struct NAME##_pass *pass, const int64_t size, const int adds, const int asks,    \
            const int goes_on, float by_query[ROWS], float by_key[ROWS]) {                         \
        VECTOR query_chains[CHAINS][ROWS], key_chains[CHAINS][ROWS];                               \
        VECTOR deltas[ROWS];                                                                       \
        UNROLL for (int i = 0; i < ROWS; i++) deltas[i] = SET(pass->deltas[i]);                    \
        const VECTOR decay = SET(pass->next_decay);                                                \
        UNROLL for (int c = 0; c < CHAINS; c++) {                                                  \
            UNROLL for (int i = 0; i < ROWS; i++) {                                                \
                query_chains[c][i] = ZERO();                                                       \
                key_chains[c][i] = ZERO();                                                         \
            }                                                                                      \
            for (int64_t n = c * LANES; n < size; n += CHAINS * LANES) {                           \
                VECTOR key = adds ? LOAD(pass->key + n) : ZERO();                                  \
                VECTOR query = asks ? LOAD(pass->query + n) : ZERO();                              \
                VECTOR next_key = goes_on ? LOAD(pass->next_key + n) : ZERO();                     \
                UNROLL for (int i = 0; i < ROWS; i++) {                                            \
                    VECTOR row = LOAD(rows[i] + n);                                                \
                    if (adds) row = FMA(key, deltas[i], row);                                      \
                    if (asks) query_chains[c][i] = FMA(row, query, query_chains[c][i]);            \
                    if (goes_on) {                                                                 \
                        row = MUL(row, decay);                                                     \
                        key_chains[c][i] = FMA(row, next_key, key_chains[c][i]);                   \
                    }                                                                              \
                    STORE(rows[i] + n, row);                                                       \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        VECTOR all[ROWS];                                                                          \
        if (asks) {                                                                                \
            UNROLL for (int i = 0; i < ROWS; i++) {                                                \
                all[i] = ADD(ADD(query_chains[0][i], query_chains[2][i]),                          \
                        ADD(query_chains[1][i], query_chains[3][i]));                              \
            }                                                                                      \
            UNROLL for (int i = 0; i < ROWS; i += TOGETHER) SUMS(by_query + i, all + i);           \
        }                                                                                          \
        if (goes_on) {                                                                             \
            UNROLL for (int i = 0; i < ROWS; i++) {                                                \
                all[i] = ADD(ADD(key_chains[0][i], key_chains[2][i]),                              \
                        ADD(key_chains[1][i], key_chains[3][i]));                                  \
            }                                                                                      \
            UNROLL for (int i = 0; i < ROWS; i += TOGETHER) SUMS(by_key + i, all + i);             \
        }                                                                                          \
    }                                                                                              \
    __attribute__((target(TARGET))) INLINE void NAME##_sized(const struct rule *rule, int64_t j,   \
            int64_t h, int64_t s, const int64_t size, const int asks) {                            \
        float rows[ROWS][MOST] __attribute__((aligned(64)));                                       \
        float by_query[ROWS], by_key[ROWS];                                                        \
        for (int i = 0; i < ROWS; i++) {                                                           \
            const float *before = at(rule->before, j + i, h, s);                                   \
            for (int64_t n = 0; n < size; n += LANES) STORE(rows[i] + n, LOAD(before + n));        \
        }                                                                                          \
        const int64_t tokens = rule->value->ne[2], key_head = h % rule->key->ne[1];                \
        const __m128 scale = _mm_div_ps(                                                           \
                _mm_set1_ps(1), _mm_sqrt_ps(_mm_set1_ps((float) size)));                           \
        struct NAME##_pass pass = {0};                                                             \
        pass.next_key = at(rule->key, key_head, 0, s);                                             \
        pass.next_decay = *at(rule->decay, h, 0, s);                                               \
        NAME##_sized_pass(rows, &pass, size, 0, 0, 1, by_query, by_key);                           \
        for (int64_t t = 0; t < tokens; t++) {                                                     \
            UNROLL for (int i = 0; i < ROWS; i += 4) {                                             \
                __m128 value = _mm_loadu_ps(at(rule->value, h, t, s) + j + i);                     \
                _mm_storeu_ps(pass.deltas + i,                                                     \
                        _mm_mul_ps(_mm_sub_ps(value, _mm_loadu_ps(by_key + i)),                    \
                                _mm_set1_ps(*at(rule->beta, h, t, s))));                           \
            }                                                                                      \
            pass.key = pass.next_key;                                                              \
            if (asks) pass.query = at(rule->query, h % rule->query->ne[1], t, s);                  \
            if (t + 1 < tokens) {                                                                  \
                pass.next_key = at(rule->key, key_head, t + 1, s);                                 \
                pass.next_decay = *at(rule->decay, h, t + 1, s);                                   \
                NAME##_sized_pass(rows, &pass, size, 1, asks, 1, by_query, by_key);                \
            } else {                                                                               \
                NAME##_sized_pass(rows, &pass, size, 1, asks, 0, by_query, by_key);                \
            }                                                                                      \
            if (asks) {                                                                            \
                UNROLL for (int i = 0; i < ROWS; i += 4) {                                         \
                    _mm_storeu_ps(at(rule->result, h, t, s) + j + i,                               \
                            _mm_mul_ps(_mm_loadu_ps(by_query + i), scale));                        \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        if (rule->after) {                                                                         \
            for (int i = 0; i < ROWS; i++) {                                                       \
                float *after = at(rule->after, j + i, h, s);                                       \
                for (int64_t n = 0; n < size; n += LANES) STORE(after + n, LOAD(rows[i] + n));     \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    __attribute__((target(TARGET))) INLINE void NAME##_asking(                                     \
            const struct rule *rule, int64_t j, int64_t h, int64_t s, const int asks) {            \
        switch (rule->value->ne[0]) {                                                              \
            case 64: NAME##_sized(rule, j, h, s, 64, asks); break;                                 \
            case 128: NAME##_sized(rule, j, h, s, 128, asks); break;                               \
            default: NAME##_sized(rule, j, h, s, rule->value->ne[0], asks);                        \
        }                                                                                          \
    }                                                                                              \
    __attribute__((target(TARGET), noinline)) static void NAME(                                    \
            const struct rule *rule, int64_t j, int64_t h, int64_t s) {                            \
        NAME##_asking(rule, j, h, s, 1);                                                           \
    }                                                                                              \
    __attribute__((target(TARGET), noinline)) static void NAME##_advance(                          \
            const struct rule *rule, int64_t j, int64_t h, int64_t s) {                            \
        NAME##_asking(rule, j, h, s, 0);                                                           \
    }

RULE(rule_512, AVX512, __m512, 16, 8, _mm512_setzero_ps, _mm512_set1_ps, _mm512_loadu_ps,
        _mm512_storeu_ps, _mm512_mul_ps, _mm512_fmadd_ps, _mm512_add_ps, sums_512)
RULE(rule_256, AVX2, __m256, 8, 4, _mm256_setzero_ps, _mm256_set1_ps, _mm256_loadu_ps,
        _mm256_storeu_ps, _mm256_mul_ps, _mm256_fmadd_ps, _mm256_add_ps, sums_256)

/* Rows of a part. */
enum { PART = 32 };

INLINE void apply(const struct rule *rule, int ith, int nth,
        void (*few_rows)(const struct rule *, int64_t, int64_t, int64_t), int rows) {
    const int64_t *ne = rule->value->ne;
    int64_t of_head = ne[0] / PART;
    struct parts parts = parts_of(rule->result, of_head * ne[1] * ne[3], ith, nth);
    for (int64_t n = next_part(&parts); n < parts.all; n = next_part(&parts)) {
        int64_t j = n % of_head * PART, h = n / of_head % ne[1], s = n / of_head / ne[1];
        for (int64_t i = 0; i < PART; i += rows) {
            // The next rows are fetched meanwhile.
            const char *next = (const char *) at(rule->before, least(j + i + rows, ne[0] - rows), h, s);
            for (int64_t line = 0; line < rows * ne[0] * (int64_t) sizeof(float); line += 64) {
                __builtin_prefetch(next + line, 0, 3);
            }
            few_rows(rule, j + i, h, s);
        }
    }
    finish(&parts, nth);
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

#define OPERATOR(NAME, RULE_OF, FEW_ROWS, ROWS)                                                    \
    EXPORT void NAME(const struct tensor *dst, int ith, int nth, void *unused) {                   \
        (void) unused;                                                                             \
        struct rule rule = RULE_OF(dst);                                                           \
        apply(&rule, ith, nth, FEW_ROWS, ROWS);                                                    \
    }

OPERATOR(varve_delta_avx512, rule_of, rule_512, 8)
OPERATOR(varve_advance_avx512, advance_of, rule_512_advance, 8)
OPERATOR(varve_delta_avx2, rule_of, rule_256, 4)
OPERATOR(varve_advance_avx2, advance_of, rule_256_advance, 4)
