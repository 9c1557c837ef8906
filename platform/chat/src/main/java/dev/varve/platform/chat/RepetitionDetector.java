package dev.varve.platform.chat;

/**
 * Detects that a response repeats itself, which models may do after their reasoning was cut off:
 * its last {@code p} tokens equal the {@code p} tokens before them, for a {@code p} from {@value
 * #SHORTEST} to {@value #LONGEST}. Each token costs one comparison per {@code p}.
 */
final class RepetitionDetector {
    private static final int SHORTEST = 12;
    private static final int LONGEST = 80;

    private final int[] last = new int[LONGEST];

    /** For each period, the number of consecutive tokens that equal the token one period before. */
    private final int[] repeated = new int[LONGEST + 1];

    private long count;
    private boolean isRepeating;

    /** Records the next token. */
    void push(int token) {
        for (int period = SHORTEST; period <= Math.min(LONGEST, count); period++) {
            boolean again = last[(int) ((count - period) % LONGEST)] == token;
            repeated[period] = again ? repeated[period] + 1 : 0;
            isRepeating |= repeated[period] >= period;
        }
        last[(int) (count % LONGEST)] = token;
        count++;
    }

    /** Returns whether a repetition was detected. */
    boolean isRepeating() {
        return isRepeating;
    }
}
