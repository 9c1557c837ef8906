package dev.varve.platform.grammar;

import dev.varve.platform.grammar.regex.GrammarLimitException;

/**
 * What one text may still cost in all its steps, in units of {@link
 * dev.varve.platform.grammar.regex.Fuel}: steps are computed by the thread that computes for all
 * requests. Each piece of text that is read adds to it. For the grammar's lock.
 */
final class AnswerBudget {
    /** About a second of CPU time. */
    private static final long FIRST_UNITS = 12_000_000;

    /** A small part of what a model needs to compute a token. */
    private static final long UNITS_OF_PIECE = 2_000;

    private long left = FIRST_UNITS;

    /**
     * To be called before a step.
     *
     * @throws GrammarLimitException if nothing is left
     */
    void require() {
        if (left <= 0) {
            throw new GrammarLimitException(
                    "the grammar is too complex: the steps of one answer took more than "
                            + FIRST_UNITS
                            + " units of work");
        }
    }

    void spent(long units) {
        left -= units;
    }

    void pieceRead() {
        left += UNITS_OF_PIECE;
    }
}
