package dev.varve.platform.grammar.regex;

import java.util.Optional;

/**
 * A state of a hand-written deterministic automaton that takes part in expressions, for languages
 * that are regular but long to write, such as the multiples of a number within bounds.
 *
 * <p>Immutable; equal states must be equal by {@link #equals}. Every state that {@link #next}
 * returns must reach an accepting one, and there must be finitely many.
 */
public interface AutomatonState {
    /** Whether what was read until here belongs to the language. */
    boolean accepts();

    /**
     * The state behind a byte of {@link #alphabet}; empty where nothing of the language follows.
     */
    Optional<AutomatonState> next(int value);

    /** The bytes that any state of this automaton can read. */
    ByteSet alphabet();
}
