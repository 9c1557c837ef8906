/*
 * Product of an F16 matrix with several columns. Each column has the bits of ggml's product of that
 * column alone: for every element the same chains of fused multiply-adds, added in the same order as
 * in ggml_vec_dot_f16, for which ggml has a kernel for one column only. This kernel computes a tile
 * of rows and columns together, so that it reads and converts a weight once for several columns.
 *
 * The chains are independent. A tile computes one chain after the other, which leaves all registers
 * for more rows and columns; a block of tiles also computes one chain after the other, so that its
 * part of the columns stays in the first-level cache.
 */
#include "kernels.h"

/* Rows of a block of tiles. */
enum { BLOCK = 12 };

/* Strides of F16 rows, F32 columns and results: `row`, `column` and `result` elements. */
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
 * One chain of the tiles of R rows and C columns of a block, with columns in the layout of PREPARE.
 * Sums of the chains are added as ggml adds them, (first + third) + (second + fourth), in that order
 * of `turn`, and are stored in `kept` until the last chain. Rows beyond the last one repeat it. The
 * macro also prefetches the next block, one line for each two half lines that it reads.
 */
#define CHAIN(NAME, TARGET, VECTOR, LANES, R, C, ZERO, HALVES, FLOATS, FMA, ADD, SUMS)             \
    __attribute__((target(TARGET))) INLINE void NAME##_chain(const struct product *p, int64_t r,   \
            int64_t last, int64_t c, int64_t next_r, VECTOR kept[2][BLOCK / R][R][C],              \
            const int turn) {                                                                      \
        const int chain = turn == 1 ? 2 : turn == 2 ? 1 : turn;                                    \
        const int64_t steps = p->size / (CHAINS * LANES);                                          \
        const float *columns = p->input + c * p->size + chain * steps * C * LANES;                 \
        const char *next = (const char *) (p->weight + next_r * p->row)                            \
                + turn * BLOCK / CHAINS * p->size * sizeof(uint16_t);                              \
        for (int tile = 0; tile < BLOCK / R && r + tile * R <= last; tile++) {                     \
            const uint16_t *rows[R];                                                               \
            UNROLL for (int i = 0; i < R; i++) {                                                   \
                rows[i] = p->weight + least(r + tile * R + i, last) * p->row + chain * LANES;      \
            }                                                                                      \
            VECTOR sums[R][C];                                                                     \
            UNROLL for (int i = 0; i < R; i++) {                                                   \
                UNROLL for (int j = 0; j < C; j++) sums[i][j] = ZERO();                            \
            }                                                                                      \
            const float *y_at = columns;                                                           \
            for (int64_t at = 0; at < steps * CHAINS * LANES; at += CHAINS * LANES) {              \
                VECTOR x[R];                                                                       \
                UNROLL for (int i = 0; i < R; i++) x[i] = HALVES(rows[i] + at);                    \
                UNROLL for (int i = 0; i < R; i += 32 / LANES) {                                   \
                    __builtin_prefetch(next, 0, 3);                                                \
                    next += 64;                                                                    \
                }                                                                                  \
                UNROLL for (int j = 0; j < C; j++) {                                               \
                    VECTOR y = FLOATS(y_at + j * LANES);                                           \
                    KEEP(y);                                                                       \
                    UNROLL for (int i = 0; i < R; i++) sums[i][j] = FMA(x[i], y, sums[i][j]);      \
                }                                                                                  \
                y_at += C * LANES;                                                                 \
            }                                                                                      \
            if (turn < CHAINS - 1) {                                                               \
                UNROLL for (int i = 0; i < R; i++) {                                               \
                    UNROLL for (int j = 0; j < C; j++) {                                           \
                        kept[turn / 2][tile][i][j] = turn == 1                                     \
                                ? ADD(kept[0][tile][i][j], sums[i][j]) : sums[i][j];               \
                    }                                                                              \
                }                                                                                  \
            } else {                                                                               \
                VECTOR all[R * C + TOGETHER];                                                      \
                float results[R * C + TOGETHER];                                                   \
                UNROLL for (int i = 0; i < R; i++) {                                               \
                    UNROLL for (int j = 0; j < C; j++) {                                           \
                        all[i * C + j] = ADD(kept[0][tile][i][j],                                  \
                                ADD(kept[1][tile][i][j], sums[i][j]));                             \
                    }                                                                              \
                }                                                                                  \
                UNROLL for (int n = R * C; n % TOGETHER != 0; n++) all[n] = all[0];                \
                UNROLL for (int n = 0; n < R * C; n += TOGETHER) SUMS(results + n, all + n);       \
                UNROLL for (int i = 0; i < R; i++) {                                               \
                    float *row = p->output + least(r + tile * R + i, last) + c * p->result;        \
                    UNROLL for (int j = 0; j < C; j++) row[j * p->result] = results[i * C + j];    \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

/* Rows r to `last`, BLOCK at most, and the C columns from c on; `next_r` is the next row. */
#define TILES(NAME, TARGET, VECTOR, LANES, R, C, ...)                                              \
    CHAIN(NAME, TARGET, VECTOR, LANES, R, C, __VA_ARGS__)                                          \
    __attribute__((target(TARGET), noinline)) static void NAME(                                    \
            const struct product *p, int64_t r, int64_t last, int64_t c, int64_t next_r) {         \
        VECTOR kept[2][BLOCK / R][R][C];                                                           \
        NAME##_chain(p, r, last, c, next_r, kept, 0);                                              \
        NAME##_chain(p, r, last, c, next_r, kept, 1);                                              \
        NAME##_chain(p, r, last, c, next_r, kept, 2);                                              \
        NAME##_chain(p, r, last, c, next_r, kept, 3);                                              \
    }

/* The product, by blocks of rows and groups of WIDTH columns; the last group may be smaller. */
#define PRODUCT(NAME, WIDTH, GROUPS)                                                               \
    EXPORT void NAME(const struct tensor *dst, int ith, int nth, void *unused) {                   \
        (void) unused;                                                                             \
        struct product p = product_of(dst);                                                        \
        struct parts blocks = parts_of(dst, (p.rows + BLOCK - 1) / BLOCK, ith, nth);               \
        int64_t block = next_part(&blocks);                                                        \
        while (block < blocks.all) {                                                               \
            int64_t next = next_part(&blocks), next_r = least(next, blocks.all) * BLOCK;           \
            int64_t r = block * BLOCK, last = least(r + BLOCK, p.rows) - 1;                        \
            for (int64_t c = 0; c < p.columns; c += WIDTH) {                                       \
                GROUPS[least(p.columns - c, WIDTH)](&p, r, last, c, next_r);                       \
            }                                                                                      \
            block = next;                                                                          \
        }                                                                                          \
        finish(&blocks, nth);                                                                      \
    }

/*
 * Columns rounded to F16, as in ggml's product, in the order in which tiles read them: for each
 * group of WIDTH columns, or fewer in the last one, its chains, and for each step of a chain a
 * vector of each column.
 */
#define PREPARE(NAME, TARGET, LANES, WIDTH, HALVES, STORE_HALVES, STORE)                           \
    __attribute__((target(TARGET))) EXPORT void NAME(                                              \
            const struct tensor *dst, int ith, int nth, void *unused) {                            \
        (void) unused;                                                                             \
        int64_t size = dst->ne[0], steps = size / (CHAINS * LANES);                                \
        int64_t all = steps * dst->ne[1];                                                          \
        for (int64_t n = share(all, ith, nth); n < share(all, ith + 1, nth); n++) {                \
            int64_t column = n / steps, step = n % steps, group = column / WIDTH * WIDTH;          \
            int64_t width = least(WIDTH, dst->ne[1] - group);                                      \
            const float *in =                                                                      \
                    (const float *) dst->src[0]->data + column * size + step * CHAINS * LANES;     \
            float *out = (float *) dst->data + group * size + (column - group) * LANES;            \
            for (int k = 0; k < CHAINS; k++) {                                                     \
                uint16_t halves[LANES];                                                            \
                STORE_HALVES(halves, in + k * LANES);                                              \
                STORE(out + (k * steps + step) * width * LANES, HALVES(halves));                   \
            }                                                                                      \
        }                                                                                          \
    }

#define HALVES_512(at) _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *) (at)))
#define STORE_HALVES_512(to, from)                                                                 \
    _mm256_storeu_si256((__m256i *) (to),                                                          \
            _mm512_cvtps_ph(_mm512_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))

#define TILES_512(R, C)                                                                            \
    TILES(tiles_512_##C, AVX512, __m512, 16, R, C, _mm512_setzero_ps, HALVES_512, _mm512_loadu_ps, \
            _mm512_fmadd_ps, _mm512_add_ps, sums_512)
TILES_512(6, 1)
TILES_512(6, 2)
TILES_512(6, 3)
TILES_512(6, 4)
TILES_512(4, 5)
TILES_512(4, 6)
TILES_512(3, 7)
TILES_512(3, 8)
static void (*const groups_512[])(const struct product *, int64_t, int64_t, int64_t, int64_t) = {0,
        tiles_512_1, tiles_512_2, tiles_512_3, tiles_512_4, tiles_512_5, tiles_512_6, tiles_512_7,
        tiles_512_8};
PRODUCT(varve_product_f16_avx512, 8, groups_512)
PREPARE(varve_columns_avx512, AVX512, 16, 8, HALVES_512, STORE_HALVES_512, _mm512_storeu_ps)

#define HALVES_256(at) _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *) (at)))
#define STORE_HALVES_256(to, from)                                                                 \
    _mm_storeu_si128((__m128i *) (to),                                                             \
            _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))

#define TILES_256(R, C)                                                                            \
    TILES(tiles_256_##C, AVX2, __m256, 8, R, C, _mm256_setzero_ps, HALVES_256, _mm256_loadu_ps,    \
            _mm256_fmadd_ps, _mm256_add_ps, sums_256)
TILES_256(6, 1)
TILES_256(4, 2)
TILES_256(3, 3)
TILES_256(3, 4)
static void (*const groups_256[])(const struct product *, int64_t, int64_t, int64_t, int64_t) = {0,
        tiles_256_1, tiles_256_2, tiles_256_3, tiles_256_4};
PRODUCT(varve_product_f16_avx2, 4, groups_256)
PREPARE(varve_columns_avx2, AVX2, 8, 4, HALVES_256, STORE_HALVES_256, _mm256_storeu_ps)
