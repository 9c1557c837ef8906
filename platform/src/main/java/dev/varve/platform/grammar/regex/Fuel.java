package dev.varve.platform.grammar.regex;

/**
 * What computing states of a grammar may still cost, counted in visited expressions and items, so
 * that a hostile grammar can hold up nobody. For one thread at a time.
 */
public final class Fuel {
    private long left;
    private long given;

    /** So much may be spent until this is called again. */
    public void allow(long units) {
        left = units;
        given = units;
    }

    /** What was spent since {@link #allow}. */
    public long spent() {
        return given - left;
    }

    /**
     * Spends some.
     *
     * @throws GrammarLimitException if there is not that much left
     */
    public void spend(long units) {
        left -= units;
        if (left < 0) {
            throw new GrammarLimitException(
                    "the grammar is too complex: a step of it took more than "
                            + given
                            + " units of work");
        }
    }
}
