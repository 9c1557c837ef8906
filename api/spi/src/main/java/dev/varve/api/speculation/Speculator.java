package dev.varve.api.speculation;

import java.util.List;

/**
 * Proposes draft tokens for many sequences. The caller that opened it owns it. One thread at a time
 * calls it, in every decode step, so it must be fast: its cost is weighed against the steps that it
 * saves.
 *
 * <p>A sequence is identified by a number that is never reused for another one. A number that has
 * not appeared before is a new sequence.
 *
 * <p>Grows: later versions may add methods with defaults.
 */
public interface Speculator extends AutoCloseable {
    /**
     * Layers whose input the speculator needs for every token, ascending; the number of layers
     * stands for the last layer's output. The same at every call.
     */
    default List<Integer> captures() {
        return List.of();
    }

    /** Maximum number of tokens of a proposal, at least one; the same at every call. */
    int mostTokens();

    /** Returns whether drafts may be trees, where {@link DraftRequest#branched} requests them. */
    default boolean branches() {
        return false;
    }

    /**
     * Returns whether sequences with images are passed. The tokens of an image are negative
     * numbers, equal for equal images only; no draft may contain one. Where this is false, such
     * sequences have no drafts.
     */
    default boolean acceptsImages() {
        return false;
    }

    /**
     * Proposes the next tokens of each sequence.
     *
     * @param sequences each at most once
     * @return one draft per request, in the same order; {@link Draft#NONE} where there is no good
     *     draft
     */
    List<Draft> propose(List<DraftRequest> sequences);

    /**
     * Records hidden states of tokens that now belong to a sequence: all states computed since the
     * last call, ordered by position. If the sequence resumed from a cached prefix, the states that
     * were stored with that prefix come first: those of its last positions, as many as exist
     * without a gap, or none. Called only if {@link #captures} names layers.
     */
    default void observe(HiddenStates states) {
        // This speculator uses tokens alone.
    }

    /**
     * Does the same with the tokens of the sequence; the platform calls this method. The default
     * calls {@link #observe(HiddenStates)}.
     *
     * @param tokens tokens of the sequence, at least all those whose states are passed; valid
     *     during the call
     */
    default void observe(HiddenStates states, TokenHistory tokens) {
        observe(states);
    }

    /**
     * Number of times that the speculator lost all recorded states, for example because its own
     * process restarted. After a loss, the platform passes the states that it kept to {@link
     * #observe(HiddenStates, TokenHistory)} again. Called before every decode step.
     */
    default long losses() {
        return 0;
    }

    /**
     * Discards the state of a sequence that has ended or is computed anew under the same number.
     * Does nothing if the number is unknown.
     */
    void forget(long sequence);

    /** Frees all resources. */
    @Override
    void close();
}
