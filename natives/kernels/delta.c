/*
 * The gated delta rule with the bits of ggml_gated_delta_net, in place in the rows of the states.
 * Per token, head and row j of its state, which belongs to element j of the values:
 *
 *     row *= decay;  delta = (value[j] - row . key) * beta;  row += key * delta;
 *     result[j] = (row . query) / sqrt(size)
 *
 * Rows are independent. So the kernel processes all tokens for a few rows while these are in the
 * first-level cache; ggml reads the whole state four times for each token, and copies it out. For
 * draft tokens the kernel stores deltas: applying some of them later needs no dot products.
 *
 * Tokens may be a tree, in which each token starts from the state after its predecessor. Rows
 * process it branch by branch, and are saved where it forks.
 */
#include "kernels.h"

/* Maximum elements of a row, and rows of a part. */
enum { MOST = 256, PART = 32 };

/* Extents as in ggml_gated_delta_net, but decay is no logarithm; deltas are laid out as values. */
struct rule {
    const struct tensor *query, *key, *value, *decay, *beta, *before;
    /* Targets of the states after the last tokens, and of the deltas, or 0. */
    const struct tensor *after, *deltas;
    const struct tensor *result;
    /* Tree of a sequence's tokens, or 0. */
    const struct walk *walk;
};

/* A token of some rows: its delta and query, and the decay and the key of the next token. */
struct pass {
    const float *key, *query, *next_key;
    float deltas[8], next_decay;
};

/*
 * ROWS rows of a head from j on. PASS reads them once per token; the pass before the first token
 * adds nothing, and the last one has no next token. The chains are those of ggml_vec_dot_f32.
 */
#define RULE(NAME, TARGET, VECTOR, LANES, ROWS, ZERO, SET, LOAD, STORE, MUL, FMA, ADD, SUMS)       \
    __attribute__((target(TARGET))) INLINE void NAME##_pass(float rows[ROWS][MOST],                \
            const struct pass *pass, const int64_t size, const int adds, const int goes_on,        \
            float by_query[ROWS], float by_key[ROWS]) {                                            \
        VECTOR query_chains[CHAINS][ROWS], key_chains[CHAINS][ROWS], deltas[ROWS], all[ROWS];      \
        UNROLL for (int i = 0; i < ROWS; i++) deltas[i] = SET(pass->deltas[i]);                    \
        const VECTOR decay = SET(pass->next_decay);                                                \
        UNROLL for (int c = 0; c < CHAINS; c++) {                                                  \
            UNROLL for (int i = 0; i < ROWS; i++) {                                                \
                query_chains[c][i] = ZERO();                                                       \
                key_chains[c][i] = ZERO();                                                         \
            }                                                                                      \
            for (int64_t n = c * LANES; n < size; n += CHAINS * LANES) {                           \
                VECTOR key = adds ? LOAD(pass->key + n) : ZERO();                                  \
                VECTOR query = adds ? LOAD(pass->query + n) : ZERO();                              \
                VECTOR next_key = goes_on ? LOAD(pass->next_key + n) : ZERO();                     \
                UNROLL for (int i = 0; i < ROWS; i++) {                                            \
                    VECTOR row = LOAD(rows[i] + n);                                                \
                    if (adds) {                                                                    \
                        row = FMA(key, deltas[i], row);                                            \
                        query_chains[c][i] = FMA(row, query, query_chains[c][i]);                  \
                    }                                                                              \
                    if (goes_on) {                                                                 \
                        row = MUL(row, decay);                                                     \
                        key_chains[c][i] = FMA(row, next_key, key_chains[c][i]);                   \
                    }                                                                              \
                    STORE(rows[i] + n, row);                                                       \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        if (adds) {                                                                                \
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
    __attribute__((target(TARGET))) INLINE void NAME##_sized(                                      \
            const struct rule *rule, int64_t j, int64_t h, int64_t s, const int64_t size) {        \
        float rows[ROWS][MOST] __attribute__((aligned(64)));                                       \
        float by_query[ROWS], by_key[ROWS];                                                        \
        for (int i = 0; i < ROWS; i++) {                                                           \
            const float *before = at(rule->before, j + i, h, s);                                   \
            for (int64_t n = 0; n < size; n += LANES) STORE(rows[i] + n, LOAD(before + n));        \
        }                                                                                          \
        const int64_t tokens = rule->value->ne[2], key_head = h % rule->key->ne[1];                \
        const __m128 scale = _mm_div_ps(                                                           \
                _mm_set1_ps(1), _mm_sqrt_ps(_mm_set1_ps((float) size)));                           \
        struct pass pass = {0};                                                                    \
        pass.next_key = at(rule->key, key_head, 0, s);                                             \
        pass.next_decay = *at(rule->decay, h, 0, s);                                               \
        NAME##_pass(rows, &pass, size, 0, 1, by_query, by_key);                                    \
        for (int64_t t = 0; t < tokens; t++) {                                                     \
            const __m128 beta = _mm_set1_ps(*at(rule->beta, h, t, s));                             \
            UNROLL for (int i = 0; i < ROWS; i += 4) {                                             \
                __m128 value = _mm_loadu_ps(at(rule->value, h, t, s) + j + i);                     \
                __m128 delta = _mm_mul_ps(_mm_sub_ps(value, _mm_loadu_ps(by_key + i)), beta);      \
                _mm_storeu_ps(pass.deltas + i, delta);                                             \
                if (rule->deltas) _mm_storeu_ps(at(rule->deltas, h, t, s) + j + i, delta);         \
            }                                                                                      \
            pass.key = pass.next_key;                                                              \
            pass.query = at(rule->query, h % rule->query->ne[1], t, s);                            \
            if (t + 1 < tokens) {                                                                  \
                pass.next_key = at(rule->key, key_head, t + 1, s);                                 \
                pass.next_decay = *at(rule->decay, h, t + 1, s);                                   \
                NAME##_pass(rows, &pass, size, 1, 1, by_query, by_key);                            \
            } else {                                                                               \
                NAME##_pass(rows, &pass, size, 1, 0, by_query, by_key);                            \
            }                                                                                      \
            UNROLL for (int i = 0; i < ROWS; i += 4) {                                             \
                _mm_storeu_ps(at(rule->result, h, t, s) + j + i,                                   \
                        _mm_mul_ps(_mm_loadu_ps(by_query + i), scale));                            \
            }                                                                                      \
        }                                                                                          \
        if (rule->after) {                                                                         \
            for (int i = 0; i < ROWS; i++) {                                                       \
                float *after = at(rule->after, j + i, h, s);                                       \
                for (int64_t n = 0; n < size; n += LANES) STORE(after + n, LOAD(rows[i] + n));     \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    __attribute__((target(TARGET), noinline)) static void NAME##_branches(                         \
            const struct rule *rule, int64_t j, int64_t h, int64_t s) {                            \
        const struct walk *walk = rule->walk;                                                      \
        const int64_t size = rule->value->ne[0], tokens = rule->value->ne[2];                      \
        const int64_t key_head = h % rule->key->ne[1], query_head = h % rule->query->ne[1];        \
        float rows[ROWS][MOST] __attribute__((aligned(64)));                                       \
        float kept[walk->levels][ROWS][size];                                                      \
        float by_query[ROWS], by_key[ROWS];                                                        \
        for (int i = 0; i < ROWS; i++) {                                                           \
            const float *before = at(rule->before, j + i, h, s);                                   \
            for (int64_t n = 0; n < size; n += LANES) STORE(rows[i] + n, LOAD(before + n));        \
        }                                                                                          \
        const __m128 scale = _mm_div_ps(                                                           \
                _mm_set1_ps(1), _mm_sqrt_ps(_mm_set1_ps((float) size)));                           \
        struct pass pass = {0};                                                                    \
        for (int64_t n = 0, met = 0; n < tokens; n++) {                                            \
            const int32_t t = walk->order[n];                                                      \
            pass.key = at(rule->key, key_head, t, s);                                              \
            pass.query = at(rule->query, query_head, t, s);                                        \
            if (!met) {                                                                            \
                pass.next_key = pass.key;                                                          \
                pass.next_decay = *at(rule->decay, h, t, s);                                       \
                NAME##_pass(rows, &pass, size, 0, 1, by_query, by_key);                            \
            }                                                                                      \
            const __m128 beta = _mm_set1_ps(*at(rule->beta, h, t, s));                             \
            UNROLL for (int i = 0; i < ROWS; i += 4) {                                             \
                __m128 value = _mm_loadu_ps(at(rule->value, h, t, s) + j + i);                     \
                __m128 delta = _mm_mul_ps(_mm_sub_ps(value, _mm_loadu_ps(by_key + i)), beta);      \
                _mm_storeu_ps(pass.deltas + i, delta);                                             \
                _mm_storeu_ps(at(rule->deltas, h, t, s) + j + i, delta);                           \
            }                                                                                      \
            const int32_t next = n + 1 < tokens ? walk->order[n + 1] : t;                          \
            const int goes_on = walk->level[next] > walk->level[t];                                \
            met = goes_on && !walk->forks[t];                                                      \
            if (met) {                                                                             \
                pass.next_key = at(rule->key, key_head, next, s);                                  \
                pass.next_decay = *at(rule->decay, h, next, s);                                    \
                NAME##_pass(rows, &pass, size, 1, 1, by_query, by_key);                            \
            } else {                                                                               \
                NAME##_pass(rows, &pass, size, 1, 0, by_query, by_key);                            \
            }                                                                                      \
            UNROLL for (int i = 0; i < ROWS; i += 4) {                                             \
                _mm_storeu_ps(at(rule->result, h, t, s) + j + i,                                   \
                        _mm_mul_ps(_mm_loadu_ps(by_query + i), scale));                            \
            }                                                                                      \
            /* If the next token does not follow this one, it follows a fork. */                    \
            const int32_t level = walk->level[goes_on ? t : next] - !goes_on;                      \
            for (int i = 0; i < ROWS && !met && (goes_on || next != t); i++) {                     \
                for (int64_t k = 0; k < size; k += LANES) {                                        \
                    if (goes_on) {                                                                 \
                        STORE(&kept[level][i][k], LOAD(rows[i] + k));                              \
                    } else {                                                                       \
                        STORE(rows[i] + k, LOAD(&kept[level][i][k]));                              \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    __attribute__((target(TARGET), noinline)) static void NAME(                                    \
            const struct rule *rule, int64_t j, int64_t h, int64_t s) {                            \
        switch (rule->value->ne[0]) {                                                              \
            case 64: NAME##_sized(rule, j, h, s, 64); break;                                       \
            case 128: NAME##_sized(rule, j, h, s, 128); break;                                     \
            default: NAME##_sized(rule, j, h, s, rule->value->ne[0]);                              \
        }                                                                                          \
    }                                                                                              \
    /* Adds tokens with stored deltas: one vector of each row at a time processes all tokens. */      \
    __attribute__((target(TARGET), noinline)) static void NAME##_advance(                          \
            const struct rule *rule, int64_t j, int64_t h, int64_t s) {                            \
        const int64_t size = rule->deltas->ne[0], tokens = rule->deltas->ne[2];                    \
        const int64_t key_head = h % rule->key->ne[1];                                             \
        for (int64_t n = 0; n < size; n += LANES) {                                                \
            VECTOR rows[ROWS];                                                                     \
            UNROLL for (int i = 0; i < ROWS; i++) {                                                \
                rows[i] = LOAD(at(rule->before, j + i, h, s) + n);                                 \
            }                                                                                      \
            for (int64_t t = 0; t < tokens; t++) {                                                 \
                const VECTOR key = LOAD(at(rule->key, key_head, t, s) + n);                        \
                const VECTOR decay = SET(*at(rule->decay, h, t, s));                               \
                const float *deltas = at(rule->deltas, h, t, s) + j;                               \
                UNROLL for (int i = 0; i < ROWS; i++) {                                            \
                    rows[i] = FMA(key, SET(deltas[i]), MUL(rows[i], decay));                       \
                }                                                                                  \
            }                                                                                      \
            UNROLL for (int i = 0; i < ROWS; i++) STORE(at(rule->after, j + i, h, s) + n, rows[i]);\
        }                                                                                          \
    }

RULE(rule_512, AVX512, __m512, 16, 8, _mm512_setzero_ps, _mm512_set1_ps, _mm512_loadu_ps,
        _mm512_storeu_ps, _mm512_mul_ps, _mm512_fmadd_ps, _mm512_add_ps, sums_512)
RULE(rule_256, AVX2, __m256, 8, 4, _mm256_setzero_ps, _mm256_set1_ps, _mm256_loadu_ps,
        _mm256_storeu_ps, _mm256_mul_ps, _mm256_fmadd_ps, _mm256_add_ps, sums_256)

INLINE void apply(struct rule *rule, const struct tensor *parents, int ith, int nth,
        void (*few_rows)(const struct rule *, int64_t, int64_t, int64_t), int rows) {
    const int64_t *ne = rule->before->ne;
    int64_t of_head = ne[0] / PART;
    struct parts parts = parts_of(rule->result, of_head * ne[2] * ne[3], ith, nth);
    struct walk walk;
    int64_t walked = -1;
    for (int64_t n = next_part(&parts); n < parts.all; n = next_part(&parts)) {
        int64_t j = n % of_head * PART, h = n / of_head % ne[2], s = n / of_head / ne[2];
        if (parents && walked != s) {
            walk_of(&walk, (const int32_t *) at(parents, s, 0, 0), rule->value->ne[2]);
            rule->walk = &walk;
            walked = s;
        }
        for (int64_t i = 0; i < PART; i += rows) {
            /* Prefetches the next rows. */
            const char *next =
                    (const char *) at(rule->before, least(j + i + rows, ne[1] - rows), h, s);
            for (int64_t line = 0; line < rows * ne[0] * (int64_t) sizeof(float); line += 64) {
                __builtin_prefetch(next + line, 0, 3);
            }
            few_rows(rule, j + i, h, s);
        }
    }
    finish(&parts, nth);
}

/* Sources: queries, keys, values, decays, betas, states before and, if they are stored, after. */
INLINE struct rule rule_of(const struct tensor *dst) {
    struct tensor *const *src = dst->src;
    return (struct rule){src[0], src[1], src[2], src[3], src[4], src[5], src[6], 0, dst, 0};
}

/* Likewise, but stores deltas instead of states. */
INLINE struct rule guess_of(const struct tensor *dst) {
    struct tensor *const *src = dst->src;
    return (struct rule){src[0], src[1], src[2], src[3], src[4], src[5], 0, src[6], dst, 0};
}

/* Sources: keys, deltas, decays, states before and after; `dst` is not changed. */
INLINE struct rule advance_of(const struct tensor *dst) {
    struct tensor *const *src = dst->src;
    return (struct rule){0, src[0], 0, src[2], 0, src[3], src[4], src[1], dst, 0};
}

#define OPERATOR(NAME, RULE_OF, PARENTS, FEW_ROWS, ROWS)                                           \
    EXPORT void NAME(const struct tensor *dst, int ith, int nth, void *unused) {                   \
        (void) unused;                                                                             \
        struct rule rule = RULE_OF(dst);                                                           \
        apply(&rule, PARENTS, ith, nth, FEW_ROWS, ROWS);                                           \
    }

OPERATOR(varve_delta_avx512, rule_of, 0, rule_512, 8)
OPERATOR(varve_guess_avx512, guess_of, 0, rule_512, 8)
OPERATOR(varve_advance_avx512, advance_of, 0, rule_512_advance, 8)
OPERATOR(varve_delta_avx2, rule_of, 0, rule_256, 4)
OPERATOR(varve_guess_avx2, guess_of, 0, rule_256, 4)
OPERATOR(varve_advance_avx2, advance_of, 0, rule_256_advance, 4)

/* As for draft tokens, with the parents of all tokens. */
OPERATOR(varve_branches_avx512, guess_of, dst->src[7], rule_512_branches, 8)
OPERATOR(varve_branches_avx2, guess_of, dst->src[7], rule_256_branches, 4)
