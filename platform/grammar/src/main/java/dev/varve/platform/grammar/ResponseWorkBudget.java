package dev.varve.platform.grammar;

import dev.varve.platform.grammar.regex.GrammarLimitException;

/**
 * Remaining work that a grammar may do for one response, in units of {@link
 * dev.varve.platform.grammar.regex.WorkBudget}. The engine's thread does this work, so it delays
 * all requests. Every token that the grammar reads adds a little. Guarded by the grammar's lock.
 */
final class ResponseWorkBudget {
    /** About a second of CPU time. */
    private static final long FIRST_UNITS = 12_000_000;

    /** Less time than a model takes to compute a token. */
    private static final long UNITS_OF_PIECE = 2_000;

    private long remaining = FIRST_UNITS;

    /**
     * Checks the budget; call it before a step.
     *
     * @throws GrammarLimitException if nothing is left
     */
    void require() {
        if (remaining <= 0) {
            throw new GrammarLimitException(
                    "the grammar is too complex: the steps of one response took more than "
                            + FIRST_UNITS
                            + " units of work");
        }
    }

    void spent(long units) {
        remaining -= units;
    }

    void pieceRead() {
        remaining += UNITS_OF_PIECE;
    }
}
