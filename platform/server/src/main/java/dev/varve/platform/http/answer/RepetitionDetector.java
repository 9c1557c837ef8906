package dev.varve.platform.http.answer;

/**
 * Notices that an answer goes in circles, as models may whose thoughts were cut: whether its last
 * {@code p} tokens are those before them, for a {@code p} of {@value #SHORTEST} to {@value
 * #LONGEST}. A token costs one comparison for each.
 */
final class RepetitionDetector {
    private static final int SHORTEST = 12;
    private static final int LONGEST = 80;

    private final int[] last = new int[LONGEST];

    /** How many tokens in a row were the one that stood so far before them. */
    private final int[] repeated = new int[LONGEST + 1];

    private long count;
    private boolean loops;

    /** The next token. */
    void push(int token) {
        for (int period = SHORTEST; period <= Math.min(LONGEST, count); period++) {
            boolean again = last[(int) ((count - period) % LONGEST)] == token;
            repeated[period] = again ? repeated[period] + 1 : 0;
            loops |= repeated[period] >= period;
        }
        last[(int) (count % LONGEST)] = token;
        count++;
    }

    /** Whether it does. */
    boolean loops() {
        return loops;
    }
}
