package dev.varve.platform.sampling;

import dev.varve.api.VarveException;

import java.util.Map;

/**
 * Changes of logits before a choice: suppressed tokens, logit bias and the penalties, with the
 * history that they need. Runs per token.
 */
final class LogitAdjustments {
    /** Number of latest tokens, prompt included, that the repetition penalty uses. */
    static final int REPETITION_WINDOW = 256;

    private final SamplingOptions options;
    private final int[] suppressed;
    private final int[] biasedTokens;
    private final float[] biases;
    private final int[] window = new int[REPETITION_WINDOW];
    private final float[] windowLogits = new float[REPETITION_WINDOW];
    private final TokenCounts generated = new TokenCounts();
    private int windowLength;
    private int windowNext;

    LogitAdjustments(SamplingOptions options, int vocabularySize, int[] suppressed) {
        this.options = options;
        this.suppressed = suppressed.clone();
        Map<Integer, Float> bias = options.logitBias();
        this.biasedTokens = bias.keySet().stream().mapToInt(Integer::intValue).sorted().toArray();
        this.biases = new float[biasedTokens.length];
        for (int i = 0; i < biases.length; i++) {
            int token = biasedTokens[i];
            biases[i] = bias.get(token);
            if (token < 0 || token >= vocabularySize || !Float.isFinite(biases[i])) {
                throw new VarveException(
                        VarveException.Kind.INVALID_REQUEST,
                        "logit_bias: expected finite numbers for tokens from 0 to "
                                + (vocabularySize - 1)
                                + ", found "
                                + biases[i]
                                + " for token "
                                + token);
            }
        }
    }

    void acceptPrompt(int token) {
        window[windowNext] = token;
        windowNext = (windowNext + 1) % REPETITION_WINDOW;
        windowLength = Math.min(windowLength + 1, REPETITION_WINDOW);
    }

    void acceptGenerated(int token) {
        acceptPrompt(token);
        if (countsGenerated()) {
            generated.add(token);
        }
    }

    boolean isSuppressed(int token) {
        for (int candidate : suppressed) {
            if (candidate == token) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether {@link #apply} would change anything but suppressed tokens. */
    boolean changesLogits() {
        return biasedTokens.length > 0
                || options.penalties().repetition() != 1 && windowLength > 0
                || !generated.isEmpty();
    }

    boolean suppressesTokens() {
        return suppressed.length > 0;
    }

    int suppressedCount() {
        return suppressed.length;
    }

    void apply(float[] row) {
        for (int i = 0; i < biasedTokens.length; i++) {
            row[biasedTokens[i]] += biases[i];
        }
        if (options.penalties().repetition() != 1) {
            penaliseRepetition(row, options.penalties().repetition());
        }
        generated.forEach(
                (token, count) ->
                        row[token] -=
                                options.penalties().frequency() * count
                                        + options.penalties().presence());
        for (int token : suppressed) {
            row[token] = Float.NEGATIVE_INFINITY;
        }
    }

    /**
     * Reads all logits before it writes any, so that a token that occurs twice is penalised once.
     */
    private void penaliseRepetition(float[] row, float penalty) {
        for (int i = 0; i < windowLength; i++) {
            windowLogits[i] = row[window[i]];
        }
        for (int i = 0; i < windowLength; i++) {
            float logit = windowLogits[i];
            row[window[i]] = logit > 0 ? logit / penalty : logit * penalty;
        }
    }

    private boolean countsGenerated() {
        return options.penalties().frequency() != 0 || options.penalties().presence() != 0;
    }
}
