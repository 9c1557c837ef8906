package dev.varve.api.ggml;

/**
 * Inputs of the gated delta rule for n sequences of T tokens.
 *
 * @param query {@code F32 [S, Hk, T, n]}, rows contiguous
 * @param key as the query
 * @param value {@code F32 [S, Hv, T, n]}, rows contiguous; Hv is a multiple of Hk
 * @param decay logarithm of the decay, {@code F32 [1 or S, Hv, T, n]}, contiguous
 * @param beta {@code F32 [1, Hv, T, n]}, contiguous
 * @see <a href="https://arxiv.org/abs/2412.06464">Gated Delta Networks, section 3</a>
 */
public record DeltaInputs(Tensor query, Tensor key, Tensor value, Tensor decay, Tensor beta) {
    /**
     * Checks that these inputs fit each other and a state.
     *
     * @param op name of the operator, for the message
     * @param state {@code F32 [S, S, Hv, n]}, contiguous
     * @throws IllegalArgumentException if they do not fit
     */
    public void requireFit(String op, Tensor state) {
        for (Tensor each : new Tensor[] {query, key, value, decay, beta, state}) {
            Operands.requireF32(op, each);
        }
        long size = value.ne(0);
        long heads = value.ne(1);
        Operands.require(
                query.ne(0) == size
                        && key.ne(0) == size
                        && query.ne(1) == key.ne(1)
                        && heads % key.ne(1) == 0
                        && isAsLong(query)
                        && isAsLong(key)
                        && query.hasContiguousRows()
                        && key.hasContiguousRows()
                        && value.hasContiguousRows(),
                op,
                query,
                key,
                value);
        Operands.require(
                (decay.ne(0) == 1 || decay.ne(0) == size)
                        && beta.ne(0) == 1
                        && decay.ne(1) == heads
                        && beta.ne(1) == heads
                        && isAsLong(decay)
                        && isAsLong(beta)
                        && decay.isPacked()
                        && beta.isPacked(),
                op,
                decay,
                beta);
        Operands.require(
                state.isPacked()
                        && state.ne(0) == size
                        && state.ne(1) == size
                        && state.ne(2) == heads
                        && state.ne(3) == value.ne(3),
                op,
                value,
                state);
    }

    /** Returns whether a tensor has the same number of tokens and sequences as the value. */
    private boolean isAsLong(Tensor other) {
        return other.ne(2) == value.ne(2) && other.ne(3) == value.ne(3);
    }
}
