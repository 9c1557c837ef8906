package dev.varve.platform.grammar.regex;

import java.util.Optional;

/**
 * A state of a hand-written deterministic automaton that is used in expressions, for languages that
 * are regular but long to write, such as the multiples of a number within bounds.
 *
 * <p>Immutable; equal states must be equal by {@link #equals}. Every state that {@link #next}
 * returns must reach an accepting one, and the number of states must be finite.
 */
public interface AutomatonState {
    /** Returns whether the bytes read so far belong to the language. */
    boolean accepts();

    /**
     * The state after a byte of {@link #alphabet}; empty if no text of the language continues with
     * it.
     */
    Optional<AutomatonState> next(int value);

    /** The bytes that any state of this automaton can read. */
    ByteSet alphabet();
}
