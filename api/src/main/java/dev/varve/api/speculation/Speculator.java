package dev.varve.api.speculation;

import java.util.List;

/**
 * Guesses tokens of many sequences. Owned by who opened it; called by one thread at a time, for
 * every step of decode, so that it must be quick: what it takes is weighed against what it saves.
 *
 * <p>Sequences are known by a number that is never given to another one. One that was not heard of
 * before is new.
 *
 * <p>Grows: later versions may add methods with defaults.
 */
public interface Speculator extends AutoCloseable {
    /**
     * Layers whose input it wants to see of every token, ascending; the number of layers stands for
     * the last layer's output. The same at every call.
     */
    default List<Integer> captures() {
        return List.of();
    }

    /** Most tokens that a proposal of it has, at least one; the same at every call. */
    int mostTokens();

    /** Whether its drafts may be trees, where {@link DraftRequest#branched} asks for them. */
    default boolean branches() {
        return false;
    }

    /**
     * Guesses what follows.
     *
     * @param sequences each at most once
     * @return as many drafts in the same order; {@link Draft#NONE} where there is no good guess
     */
    List<Draft> propose(List<DraftRequest> sequences);

    /**
     * Takes in hidden states of tokens that are part of a sequence from now on: all that were
     * computed since, in the order of their positions. Where the sequence went on from stored
     * computations, those that were kept with them come first: of its last positions there, as many
     * as are known without a gap, or none. Called only where {@link #captures} names layers.
     */
    default void observe(HiddenStates states) {
        // It guesses from tokens alone.
    }

    /**
     * Likewise, with the text that the states are of; this is what is called. By default it goes on
     * to {@link #observe(HiddenStates)}.
     *
     * @param tokens of the sequence, at least all those whose states are shown; valid during the
     *     call
     */
    default void observe(HiddenStates states, TokenHistory tokens) {
        observe(states);
    }

    /**
     * How often it lost all that it was shown, as with a process of its own. What was kept of it is
     * shown again. Asked before every step of decode.
     */
    default long losses() {
        return 0;
    }

    /**
     * Forgets what it knows of a sequence. It has ended, or is computed anew under the same number.
     * Nothing happens if it was never heard of.
     */
    void forget(long sequence);

    /** Frees what it holds. */
    @Override
    void close();
}
