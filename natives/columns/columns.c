/*
 * The product of an F16 matrix with several columns, each with the bits that ggml's product of that
 * column alone has: for every element the same chains of fused multiply-adds in the same order as in
 * ggml_vec_dot_f16, of which ggml has a kernel for one column only. Here a tile of rows and columns
 * goes together, so that a weight is converted once for several columns.
 *
 * Functions for ggml_custom_4d. They need no library, and are compiled for several instruction sets;
 * the caller names the one that ggml was compiled for, and compares bits before it trusts them.
 */
#include <immintrin.h>
#include <stdint.h>

/* The fields of ggml.h's struct ggml_tensor that are read here. */
struct tensor {
    int32_t type;
    void *buffer;
    int64_t ne[4];
    uint64_t nb[4];
    int32_t op;
    int32_t op_params[16];
    int32_t flags;
    struct tensor *src[10];
    struct tensor *view_src;
    uint64_t view_offs;
    char *data;
};

#define EXPORT __attribute__((visibility("default")))
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

/* Chains of sums in a dot product, and rows that stay in the cache for all columns. */
enum { CHAINS = 4, BLOCK = 24 };

/* Bytes of columns that a core's first cache holds beside the rows. */
enum { CACHE = 24 << 10 };

INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Part of a range for a thread. */
INLINE int64_t share(int64_t all, int ith, int nth) { return all * ith / nth; }

/*
 * What is the same for all tiles. Rows of F16 and columns of F32 lie `row` and `column` elements
 * apart, results of a column `result`.
 */
struct product {
    int64_t size, rows, columns, row, column, result;
    const uint16_t *weight;
    const float *input;
    float *output;
};

INLINE struct product product_of(const struct tensor *dst) {
    const struct tensor *weight = dst->src[0], *input = dst->src[1];
    struct product p;
    p.size = weight->ne[0];
    p.rows = weight->ne[1];
    p.columns = input->ne[1];
    p.row = (int64_t) (weight->nb[1] / sizeof(uint16_t));
    p.column = (int64_t) (input->nb[1] / sizeof(float));
    p.result = (int64_t) (dst->nb[1] / sizeof(float));
    p.weight = (const uint16_t *) weight->data;
    p.input = (const float *) input->data;
    p.output = (float *) dst->data;
    return p;
}

/*
 * A tile of R rows and C columns from row r, column c. What lies beyond the last row or column is
 * the last one again.
 */
#define TILE(NAME, TARGET, VECTOR, LANES, R, C, ZERO, HALVES, FLOATS, FMA, SUM)                     \
    __attribute__((target(TARGET), noinline)) static void NAME(                                    \
            const struct product *p, int64_t r, int64_t last, int64_t c) {                         \
        VECTOR sums[R][C][CHAINS];                                                                 \
        const uint16_t *rows[R];                                                                   \
        const float *columns[C];                                                                   \
        UNROLL for (int i = 0; i < R; i++) {                                                       \
            rows[i] = p->weight + least(r + i, last) * p->row;                                     \
            UNROLL for (int j = 0; j < C; j++) {                                                   \
                UNROLL for (int k = 0; k < CHAINS; k++) sums[i][j][k] = ZERO();                    \
            }                                                                                      \
        }                                                                                          \
        UNROLL for (int j = 0; j < C; j++) {                                                       \
            columns[j] = p->input + least(c + j, p->columns - 1) * p->column;                      \
        }                                                                                          \
        for (int64_t at = 0; at < p->size; at += CHAINS * LANES) {                                 \
            UNROLL for (int k = 0; k < CHAINS; k++) {                                              \
                VECTOR x[R];                                                                       \
                UNROLL for (int i = 0; i < R; i++) x[i] = HALVES(rows[i] + at + k * LANES);        \
                UNROLL for (int j = 0; j < C; j++) {                                               \
                    VECTOR y = FLOATS(columns[j] + at + k * LANES);                                \
                    UNROLL for (int i = 0; i < R; i++) sums[i][j][k] = FMA(x[i], y, sums[i][j][k]); \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        UNROLL for (int i = 0; i < R; i++) {                                                       \
            UNROLL for (int j = 0; j < C; j++) {                                                   \
                p->output[least(c + j, p->columns - 1) * p->result + least(r + i, last)] =         \
                        SUM(sums[i][j]);                                                           \
            }                                                                                      \
        }                                                                                          \
    }

/* Tiles of few rows convert least, those of few columns need least of them in the cache. */
#define PRODUCT(NAME, TARGET, WIDE, WIDE_ROWS, WIDE_COLUMNS, TALL, TALL_ROWS, TALL_COLUMNS)         \
    __attribute__((target(TARGET))) EXPORT void NAME(                                              \
            const struct tensor *dst, int ith, int nth, void *unused) {                            \
        (void) unused;                                                                             \
        struct product p = product_of(dst);                                                        \
        int wide = WIDE_COLUMNS * p.size * (int64_t) sizeof(float) <= CACHE;                       \
        int rows = wide ? WIDE_ROWS : TALL_ROWS, columns = wide ? WIDE_COLUMNS : TALL_COLUMNS;     \
        int64_t end = share(p.rows, ith + 1, nth);                                                 \
        for (int64_t block = share(p.rows, ith, nth); block < end; block += BLOCK) {               \
            int64_t last = least(block + BLOCK, end) - 1;                                          \
            for (int64_t c = 0; c < p.columns; c += columns) {                                     \
                for (int64_t r = block; r <= last; r += rows) {                                    \
                    if (wide) {                                                                    \
                        WIDE(&p, r, last, c);                                                      \
                    } else {                                                                       \
                        TALL(&p, r, last, c);                                                      \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

/* Columns as ggml's product sees them: rounded to F16. `src[0]` is contiguous, as the result is. */
#define ROUND(NAME, TARGET, LANES, HALVES, STORE_HALVES, STORE)                                    \
    __attribute__((target(TARGET))) EXPORT void NAME(                                              \
            const struct tensor *dst, int ith, int nth, void *unused) {                            \
        (void) unused;                                                                             \
        const float *in = (const float *) dst->src[0]->data;                                       \
        float *out = (float *) dst->data;                                                          \
        int64_t vectors = dst->ne[0] * dst->ne[1] / LANES;                                         \
        for (int64_t v = share(vectors, ith, nth); v < share(vectors, ith + 1, nth); v++) {        \
            uint16_t halves[LANES];                                                                \
            STORE_HALVES(halves, in + v * LANES);                                                  \
            STORE(out + v * LANES, HALVES(halves));                                                \
        }                                                                                          \
    }

#define AVX512 "avx512f,avx512dq,avx512vl,avx512bw,f16c,fma"

#define HALVES_512(at) _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *) (at)))
#define STORE_HALVES_512(to, from)                                                                 \
    _mm256_storeu_si256((__m256i *) (to),                                                          \
            _mm512_cvtps_ph(_mm512_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))

__attribute__((target(AVX512))) INLINE float sum_512(const __m512 s[CHAINS]) {
    __m512 all = _mm512_add_ps(_mm512_add_ps(s[0], s[2]), _mm512_add_ps(s[1], s[3]));
    __m256 eight = _mm256_add_ps(_mm512_extractf32x8_ps(all, 1), _mm512_castps512_ps256(all));
    __m128 four = _mm_add_ps(_mm256_extractf128_ps(eight, 1), _mm256_castps256_ps128(eight));
    __m128 two = _mm_add_ps(_mm_movehl_ps(four, four), four);
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

TILE(wide_512, AVX512, __m512, 16, 1, 4, _mm512_setzero_ps, HALVES_512, _mm512_loadu_ps,
        _mm512_fmadd_ps, sum_512)
TILE(tall_512, AVX512, __m512, 16, 3, 2, _mm512_setzero_ps, HALVES_512, _mm512_loadu_ps,
        _mm512_fmadd_ps, sum_512)
PRODUCT(varve_f16_avx512, AVX512, wide_512, 1, 4, tall_512, 3, 2)
ROUND(varve_round_avx512, AVX512, 16, HALVES_512, STORE_HALVES_512, _mm512_storeu_ps)

#define AVX2 "avx2,f16c,fma"

#define HALVES_256(at) _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *) (at)))
#define STORE_HALVES_256(to, from)                                                                 \
    _mm_storeu_si128((__m128i *) (to),                                                             \
            _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))

__attribute__((target(AVX2))) INLINE float sum_256(const __m256 s[CHAINS]) {
    __m256 all = _mm256_add_ps(_mm256_add_ps(s[0], s[2]), _mm256_add_ps(s[1], s[3]));
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
    __m128 two = _mm_add_ps(four, _mm_movehdup_ps(four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehl_ps(two, two)));
}

TILE(wide_256, AVX2, __m256, 8, 1, 3, _mm256_setzero_ps, HALVES_256, _mm256_loadu_ps,
        _mm256_fmadd_ps, sum_256)
PRODUCT(varve_f16_avx2, AVX2, wide_256, 1, 3, wide_256, 1, 3)
ROUND(varve_round_avx2, AVX2, 8, HALVES_256, STORE_HALVES_256, _mm256_storeu_ps)
