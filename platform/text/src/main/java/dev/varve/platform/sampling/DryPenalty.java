package dev.varve.platform.sampling;

/**
 * Penalises tokens that would continue a sequence that the history repeats at its end. Runs per
 * token; its cost grows with the number of tokens that are searched.
 */
final class DryPenalty {
    /** Natural logarithm of the greatest float. */
    private static final double GREATEST_LOG = 88.7228391;

    private final AdvancedSampling.Dry options;
    private final LatestTokens history;
    private int[] latest = {};
    private int[] matches = {};

    /** By token, 1 + length of the longest sequence that it would continue; 0 between calls. */
    private int[] longest = {};

    DryPenalty(AdvancedSampling.Dry options) {
        this.options = options;
        this.history = new LatestTokens(options.isOn() ? options.lastTokens() : 0);
    }

    void addAll(int[] tokens) {
        history.addAll(tokens);
    }

    void add(int token) {
        history.add(token);
    }

    /** Returns whether a row may change. */
    boolean isActive() {
        return options.isOn() && history.length() > options.allowedLength();
    }

    /** Subtracts the penalties from a row of logits. */
    void apply(float[] row) {
        if (!isActive()) {
            return;
        }
        int length = history.length();
        if (latest.length < length) {
            latest = new int[Math.max(length, 2 * latest.length)];
            matches = new int[latest.length];
        }
        for (int i = 0; i < length; i++) {
            latest[i] = history.fromEnd(i);
        }
        int limit = options.breakers().tokensAfter(latest, length);
        if (limit < options.allowedLength()) {
            return;
        }
        countMatches(length);
        if (longest.length < row.length) {
            longest = new int[row.length];
        }
        for (int i = 1; i < length; i++) {
            int repeated = Math.min(matches[i], limit);
            if (repeated >= options.allowedLength()) {
                longest[latest[i - 1]] = Math.max(longest[latest[i - 1]], 1 + repeated);
            }
        }
        for (int i = 1; i < length; i++) {
            int token = latest[i - 1];
            if (longest[token] > 0) {
                // A breaker ends the sequence, so it does not continue it.
                if (!options.breakers().isBreaker(token)) {
                    row[token] -= penalty(longest[token] - 1);
                }
                longest[token] = 0;
            }
        }
    }

    private float penalty(int repeated) {
        double exponent = repeated - options.allowedLength();
        if (options.base() > 1.000001f) {
            exponent = Math.min(exponent, Math.floor(GREATEST_LOG / Math.log(options.base())));
        }
        double penalty = options.multiplier() * Math.pow(options.base(), exponent);
        return (float) Math.min(penalty, Float.MAX_VALUE);
    }

    /**
     * Sets {@code matches[i]} to the number of tokens that the history's end has in common with the
     * text that ends {@code i} tokens before it. Linear: a known match gives a bound for those
     * within it.
     */
    private void countMatches(int length) {
        int begin = 0;
        int end = 0;
        for (int i = 1; i < length; i++) {
            int same = i < end ? Math.min(end - i, matches[i - begin]) : 0;
            while (i + same < length && latest[same] == latest[i + same]) {
                same++;
            }
            matches[i] = same;
            if (i + same > end) {
                begin = i;
                end = i + same;
            }
        }
    }
}
