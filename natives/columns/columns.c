/*
 * The product of an F16 matrix with several columns, each with the bits that ggml's product of that
 * column alone has: for every element the same chains of fused multiply-adds, added up in the same
 * order, as in ggml_vec_dot_f16, of which ggml has a kernel for one column only. Here a tile of rows
 * and columns goes together, so that a weight is read and converted once for several columns.
 *
 * The chains do not depend on each other. A tile takes one after the other, which leaves all
 * registers to more rows and columns of it.
 *
 * Functions for ggml_custom_4d. They need no library, and are compiled for two instruction sets; the
 * caller names the one that ggml was compiled for, and compares bits before it trusts them.
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
/* Keeps a value in a register, where the compiler would rather read it from memory each time. */
#define KEEP(value) __asm__("" : "+v"(value))
#define UNROLL _Pragma("GCC unroll 32")

/* Chains of sums in a dot product, columns that are added up together, and rows for all columns. */
enum { CHAINS = 4, TOGETHER = 4, BLOCK = 24 };

INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Where a thread's part of a range begins; the next one's begin is its end. */
INLINE int64_t share(int64_t all, int ith, int nth) { return all * ith / nth; }

/* Rows of F16, columns of F32 and results lie `row`, `column` and `result` elements apart. */
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
 * A tile of R rows and C columns from row r, column c on. Rows and columns beyond the last ones are
 * the last ones again. While one chain is computed, a part of the next rows is fetched.
 */
#define TILE(NAME, TARGET, VECTOR, LANES, R, C, ZERO, HALVES, FLOATS, FMA, SUMS)                   \
    __attribute__((target(TARGET), noinline)) static void NAME(                                    \
            const struct product *p, int64_t r, int64_t last, int64_t c) {                         \
        VECTOR chains[R][C][CHAINS];                                                               \
        const uint16_t *rows[R];                                                                   \
        const float *columns[C];                                                                   \
        UNROLL for (int i = 0; i < R; i++) rows[i] = p->weight + least(r + i, last) * p->row;      \
        UNROLL for (int j = 0; j < C; j++) {                                                       \
            columns[j] = p->input + least(c + j, p->columns - 1) * p->column;                      \
        }                                                                                          \
        for (int k = 0; k < CHAINS; k++) {                                                         \
            VECTOR sums[R][C];                                                                     \
            UNROLL for (int i = 0; i < R; i++) {                                                   \
                UNROLL for (int j = 0; j < C; j++) sums[i][j] = ZERO();                            \
            }                                                                                      \
            int64_t part = k * (p->size / CHAINS);                                                 \
            int64_t at = k * LANES;                                                                \
            for (int64_t y_at = part; y_at < part + p->size / CHAINS; y_at += LANES) {             \
                VECTOR x[R];                                                                       \
                UNROLL for (int i = 0; i < R; i++) {                                               \
                    x[i] = HALVES(rows[i] + at);                                                   \
                    __builtin_prefetch(rows[i] + R * p->row + y_at, 0, 3);                         \
                }                                                                                  \
                at += CHAINS * LANES;                                                              \
                UNROLL for (int j = 0; j < C; j++) {                                               \
                    VECTOR y = FLOATS(columns[j] + y_at);                                          \
                    KEEP(y);                                                                       \
                    UNROLL for (int i = 0; i < R; i++) sums[i][j] = FMA(x[i], y, sums[i][j]);      \
                }                                                                                  \
            }                                                                                      \
            UNROLL for (int i = 0; i < R; i++) {                                                   \
                UNROLL for (int j = 0; j < C; j++) chains[i][j][k] = sums[i][j];                   \
            }                                                                                      \
        }                                                                                          \
        for (int i = 0; i < R; i++) {                                                              \
            for (int j = 0; j < C; j += TOGETHER) {                                                \
                float results[TOGETHER];                                                           \
                SUMS(results, chains[i] + j);                                                      \
                UNROLL for (int n = 0; n < TOGETHER; n++) {                                        \
                    p->output[least(c + j + n, p->columns - 1) * p->result + least(r + i, last)] = \
                            results[n];                                                            \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

/* The product: wide tiles, and narrow ones of 4 columns where no more are left. */
#define PRODUCT(NAME, TARGET, WIDE, WIDE_ROWS, WIDE_COLUMNS, NARROW, NARROW_ROWS)                  \
    __attribute__((target(TARGET))) EXPORT void NAME(                                              \
            const struct tensor *dst, int ith, int nth, void *unused) {                            \
        (void) unused;                                                                             \
        struct product p = product_of(dst);                                                        \
        int64_t end = share(p.rows, ith + 1, nth);                                                 \
        for (int64_t block = share(p.rows, ith, nth); block < end; block += BLOCK) {               \
            int64_t last = least(block + BLOCK, end) - 1;                                          \
            int64_t c = 0;                                                                         \
            for (; c + 4 < p.columns; c += WIDE_COLUMNS) {                                         \
                for (int64_t r = block; r <= last; r += WIDE_ROWS) WIDE(&p, r, last, c);           \
            }                                                                                      \
            if (c < p.columns) {                                                                   \
                for (int64_t r = block; r <= last; r += NARROW_ROWS) NARROW(&p, r, last, c);       \
            }                                                                                      \
        }                                                                                          \
    }

/*
 * Columns as ggml's product sees them: rounded to F16. What a chain takes stands together, so that
 * its way through them is no stride that few sets of a cache serve.
 */
#define PREPARE(NAME, TARGET, LANES, HALVES, STORE_HALVES, STORE)                                  \
    __attribute__((target(TARGET))) EXPORT void NAME(                                              \
            const struct tensor *dst, int ith, int nth, void *unused) {                            \
        (void) unused;                                                                             \
        int64_t size = dst->ne[0], steps = size / (CHAINS * LANES);                                \
        int64_t all = steps * dst->ne[1];                                                          \
        for (int64_t n = share(all, ith, nth); n < share(all, ith + 1, nth); n++) {                \
            int64_t column = n / steps * size, step = n % steps;                                   \
            const float *in = (const float *) dst->src[0]->data + column + step * CHAINS * LANES;  \
            float *out = (float *) dst->data + column + step * LANES;                              \
            for (int k = 0; k < CHAINS; k++) {                                                     \
                uint16_t halves[LANES];                                                            \
                STORE_HALVES(halves, in + k * LANES);                                              \
                STORE(out + k * (size / CHAINS), HALVES(halves));                                  \
            }                                                                                      \
        }                                                                                          \
    }

#define AVX512 "avx512f,avx512dq,avx512vl,avx512bw,f16c,fma"

#define HALVES_512(at) _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *) (at)))
#define STORE_HALVES_512(to, from)                                                                 \
    _mm256_storeu_si256((__m256i *) (to),                                                          \
            _mm512_cvtps_ph(_mm512_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))

__attribute__((target(AVX512))) INLINE __m512 of_chains_512(const __m512 s[CHAINS]) {
    return _mm512_add_ps(_mm512_add_ps(s[0], s[2]), _mm512_add_ps(s[1], s[3]));
}

/* Upper halves to lower halves, as long as there are halves; one vector has all four columns in the end. */
__attribute__((target(AVX512))) INLINE void sums_512(
        float results[TOGETHER], const __m512 s[TOGETHER][CHAINS]) {
    __m512 a = of_chains_512(s[0]), b = of_chains_512(s[1]);
    __m512 c = of_chains_512(s[2]), d = of_chains_512(s[3]);
    __m512 ab = _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
    __m512 cd = _mm512_add_ps(_mm512_shuffle_f32x4(c, d, 0x44), _mm512_shuffle_f32x4(c, d, 0xee));
    __m512 all = _mm512_add_ps(
            _mm512_shuffle_f32x4(ab, cd, 0x88), _mm512_shuffle_f32x4(ab, cd, 0xdd));
    all = _mm512_add_ps(all, _mm512_permute_ps(all, 0x4e));
    all = _mm512_add_ps(all, _mm512_permute_ps(all, 0xb1));
    UNROLL for (int n = 0; n < TOGETHER; n++) {
        results[n] = _mm_cvtss_f32(_mm512_castps512_ps128(all));
        all = _mm512_shuffle_f32x4(all, all, 0x39);
    }
}

TILE(wide_512, AVX512, __m512, 16, 3, 8, _mm512_setzero_ps, HALVES_512, _mm512_loadu_ps,
        _mm512_fmadd_ps, sums_512)
TILE(narrow_512, AVX512, __m512, 16, 6, 4, _mm512_setzero_ps, HALVES_512, _mm512_loadu_ps,
        _mm512_fmadd_ps, sums_512)
PRODUCT(varve_product_f16_avx512, AVX512, wide_512, 3, 8, narrow_512, 6)
PREPARE(varve_columns_avx512, AVX512, 16, HALVES_512, STORE_HALVES_512, _mm512_storeu_ps)

#define AVX2 "avx2,f16c,fma"

#define HALVES_256(at) _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *) (at)))
#define STORE_HALVES_256(to, from)                                                                 \
    _mm_storeu_si128((__m128i *) (to),                                                             \
            _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))

__attribute__((target(AVX2))) INLINE __m128 of_chains_256(const __m256 s[CHAINS]) {
    __m256 all = _mm256_add_ps(_mm256_add_ps(s[0], s[2]), _mm256_add_ps(s[1], s[3]));
    return _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
}

/* Neighbours, and then neighbours again. */
__attribute__((target(AVX2))) INLINE void sums_256(
        float results[TOGETHER], const __m256 s[TOGETHER][CHAINS]) {
    __m128 ab = _mm_hadd_ps(of_chains_256(s[0]), of_chains_256(s[1]));
    __m128 cd = _mm_hadd_ps(of_chains_256(s[2]), of_chains_256(s[3]));
    _mm_storeu_ps(results, _mm_hadd_ps(ab, cd));
}

TILE(narrow_256, AVX2, __m256, 8, 3, 4, _mm256_setzero_ps, HALVES_256, _mm256_loadu_ps,
        _mm256_fmadd_ps, sums_256)
PRODUCT(varve_product_f16_avx2, AVX2, narrow_256, 3, 4, narrow_256, 3)
PREPARE(varve_columns_avx2, AVX2, 8, HALVES_256, STORE_HALVES_256, _mm256_storeu_ps)
