package dev.varve.api.ggml;

/**
 * Inputs of a selective state-space scan with one decay per head, for n sequences of T tokens. For
 * each token, with {@code d = softplus(dt)}, the state S of a head (P rows of N elements) becomes
 * {@code exp(d * decay) * S + d * x * b}, and the output is {@code S * c}. Head h uses the group
 * {@code h / (H / G)} of b and c.
 *
 * @param x {@code F32 [P, H, T, n]}; the heads of a token are adjacent
 * @param dt {@code F32 [H, T, n]}, contiguous
 * @param decay {@code F32 [1, H]}, contiguous, not positive
 * @param b {@code F32 [N, G, T, n]}; the groups of a token are adjacent
 * @param c as b
 * @see <a href="https://arxiv.org/abs/2405.21060">Mamba-2, section 6</a>
 */
public record ScanInputs(Tensor x, Tensor dt, Tensor decay, Tensor b, Tensor c) {
    /**
     * Checks that these inputs fit each other and a state.
     *
     * @param op name of the operator, for the message
     * @param state {@code F32 [N, P, H, rows]}, contiguous
     * @param rows {@code I32 [n]}
     * @throws IllegalArgumentException if they do not fit
     */
    public void requireFit(String op, Tensor state, Tensor rows) {
        for (Tensor each : new Tensor[] {x, dt, decay, b, c, state}) {
            Operands.requireF32(op, each);
        }
        Operands.requireType(op, rows, GgmlType.I32);
        long heads = x.ne(1);
        Operands.require(
                dt.ne(0) == heads
                        && dt.ne(1) == x.ne(2)
                        && dt.ne(2) == x.ne(3)
                        && dt.ne(3) == 1
                        && decay.ne(0) == 1
                        && decay.ne(1) == heads
                        && decay.elements() == heads
                        && dt.isPacked()
                        && decay.isPacked()
                        && hasAdjacentRows(x),
                op,
                x,
                dt,
                decay);
        Operands.require(
                isAsLong(b)
                        && isAsLong(c)
                        && b.ne(0) == c.ne(0)
                        && b.ne(1) == c.ne(1)
                        && heads % b.ne(1) == 0
                        && hasAdjacentRows(b)
                        && hasAdjacentRows(c),
                op,
                x,
                b,
                c);
        Operands.require(
                state.isPacked()
                        && state.ne(0) == b.ne(0)
                        && state.ne(1) == x.ne(0)
                        && state.ne(2) == heads
                        && rows.isPacked()
                        && rows.elements() == x.ne(3)
                        && rows.ne(0) == x.ne(3),
                op,
                x,
                state,
                rows);
    }

    /** Returns whether a tensor has the same number of tokens and sequences as x. */
    private boolean isAsLong(Tensor other) {
        return other.ne(2) == x.ne(2) && other.ne(3) == x.ne(3);
    }

    private static boolean hasAdjacentRows(Tensor heads) {
        return heads.hasContiguousRows() && heads.nb(1) == heads.ne(0) * Float.BYTES;
    }
}
