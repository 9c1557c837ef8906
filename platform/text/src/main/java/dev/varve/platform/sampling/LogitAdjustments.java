package dev.varve.platform.sampling;

import dev.varve.api.VarveException;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;

/**
 * Changes of logits before a choice: suppressed tokens, logit bias and the penalties, with the
 * history that they need. Runs per token.
 */
final class LogitAdjustments {
    private final SamplingOptions options;
    private final int[] suppressed;
    private final int[] biasedTokens;
    private final float[] biases;
    private final LatestTokens window;
    private final TokenCounts generated = new TokenCounts();
    private final DryPenalty dry;
    private final int[] delayed;
    private float[] windowLogits = {};
    private int generatedTokens;

    LogitAdjustments(SamplingOptions options, int vocabularySize, int[] suppressed) {
        this.options = options;
        this.suppressed = suppressed.clone();
        SamplingOptions.Penalties penalties = options.penalties();
        this.window = new LatestTokens(penalties.repetition() == 1 ? 0 : penalties.lastTokens());
        this.dry = new DryPenalty(options.advanced().dry());
        this.delayed =
                options.advanced().endDelay().endTokens().stream()
                        .mapToInt(Integer::intValue)
                        .filter(token -> token < vocabularySize)
                        .toArray();
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

    void acceptPrompt(int[] prompt) {
        window.addAll(prompt);
        dry.addAll(prompt);
    }

    void acceptGenerated(int token) {
        window.add(token);
        dry.add(token);
        generatedTokens++;
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
                || window.length() > 0
                || !generated.isEmpty()
                || dry.isActive()
                || delaysEnd();
    }

    /** Returns whether tokens that end the response may not be chosen yet. */
    boolean delaysEnd() {
        return delayed.length > 0 && generatedTokens < options.advanced().endDelay().tokens();
    }

    /** Excludes the tokens that end the response, if they may not be chosen yet. */
    void delayEnd(float[] row) {
        if (delaysEnd()) {
            for (int token : delayed) {
                row[token] = Float.NEGATIVE_INFINITY;
            }
        }
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
            penaliseRepetition(row);
        }
        generated.forEach((token, count) -> row[token] -= penalty(count));
        dry.apply(row);
        for (int token : suppressed) {
            row[token] = Float.NEGATIVE_INFINITY;
        }
    }

    /**
     * Changes the logits of some tokens as {@link #apply} changes those of a row: by biases and the
     * penalties that count tokens.
     *
     * @param ids the first {@code count}, ascending, none of them suppressed
     */
    void lower(int[] ids, float[] logits, int count) {
        for (int i = 0; i < biasedTokens.length; i++) {
            int place = Arrays.binarySearch(ids, 0, count, biasedTokens[i]);
            if (place >= 0) {
                logits[place] += biases[i];
            }
        }
        if (options.penalties().repetition() != 1) {
            lowerRepeated(ids, logits, count);
        }
        generated.forEach(
                (token, occurrences) -> {
                    int place = Arrays.binarySearch(ids, 0, count, token);
                    if (place >= 0) {
                        logits[place] -= penalty(occurrences);
                    }
                });
    }

    private void lowerRepeated(int[] ids, float[] logits, int count) {
        BitSet places = new BitSet(count);
        for (int i = 0; i < window.length(); i++) {
            int place = Arrays.binarySearch(ids, 0, count, window.fromEnd(i));
            if (place >= 0) {
                places.set(place);
            }
        }
        for (int i = places.nextSetBit(0); i >= 0; i = places.nextSetBit(i + 1)) {
            logits[i] = repeated(logits[i]);
        }
    }

    private float penalty(int occurrences) {
        return options.penalties().frequency() * occurrences + options.penalties().presence();
    }

    private float repeated(float logit) {
        float penalty = options.penalties().repetition();
        return logit > 0 ? logit / penalty : logit * penalty;
    }

    /**
     * Reads all logits before it writes any, so that a token that occurs twice is penalised once.
     */
    private void penaliseRepetition(float[] row) {
        int length = window.length();
        if (length > windowLogits.length) {
            windowLogits = new float[Math.max(length, 2 * windowLogits.length)];
        }
        for (int i = 0; i < length; i++) {
            windowLogits[i] = row[window.fromEnd(i)];
        }
        for (int i = 0; i < length; i++) {
            row[window.fromEnd(i)] = repeated(windowLogits[i]);
        }
    }

    private boolean countsGenerated() {
        return options.penalties().frequency() != 0 || options.penalties().presence() != 0;
    }
}
