package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Tensor;

/**
 * Queries of a text's last tokens in one layer, gathered from the chunks that contain them: the
 * last chunk may have fewer tokens than the tail.
 */
final class CapturedTailQueries {
    private final int tokens;
    private final int tail;
    private int heads;
    private int length;

    /** {@code [keyLength, tail, heads]}. */
    private float[] values = new float[0];

    CapturedTailQueries(int tokens, int tail) {
        this.tokens = tokens;
        this.tail = tail;
    }

    /**
     * Adds the queries of a chunk's last tokens.
     *
     * @param end position after the chunk
     * @param queries {@code F32 [keyLength, heads, count]}
     */
    void add(int end, Tensor queries) {
        int count = Math.toIntExact(queries.ne(2));
        if (end <= tokens - tail) {
            return;
        }
        length = Math.toIntExact(queries.ne(0));
        heads = Math.toIntExact(queries.ne(1));
        if (values.length == 0) {
            values = new float[length * tail * heads];
        }
        float[] read = new float[length * heads * count];
        queries.read(read, 0, read.length, 0);
        for (int i = 0; i < count; i++) {
            int row = end - count + i - (tokens - tail);
            for (int head = 0; head < heads && row >= 0; head++) {
                int to = (head * tail + row) * length;
                System.arraycopy(read, (i * heads + head) * length, values, to, length);
            }
        }
    }

    /** Number of query heads. */
    int heads() {
        return heads;
    }

    /** All queries, {@code [keyLength, tail, heads]}. */
    float[] byHead() {
        return values;
    }
}
