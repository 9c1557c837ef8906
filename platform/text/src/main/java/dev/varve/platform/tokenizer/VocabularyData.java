package dev.varve.platform.tokenizer;

import dev.varve.api.VarveException;

import java.util.Arrays;
import java.util.OptionalInt;

/**
 * A vocabulary as the model file holds it. The arrays are not copied: they are large and read only
 * once.
 *
 * @param model {@code tokenizer.ggml.model}
 * @param pre {@code tokenizer.ggml.pre}; {@code ""} for none
 * @param tokens texts as in the file, by id
 * @param types one for each token
 * @param merges {@code "left right"}, the highest priority first
 * @param scores one for each token; empty for a file without
 * @param suppressed ids that must never be sampled
 */
record VocabularyData(
        String model,
        String pre,
        byte[][] tokens,
        TokenType[] types,
        byte[][] merges,
        float[] scores,
        NamedIds ids,
        TextRules rules,
        int[] suppressed) {
    VocabularyData {
        if (tokens.length == 0) {
            throw corrupt("tokens", "at least one token", "none");
        }
        checkLength("token_type", types.length, tokens.length);
        if (scores.length > 0) {
            checkLength("scores", scores.length, tokens.length);
        }
        ids.check(tokens.length);
        Arrays.stream(suppressed)
                .forEach(id -> checkId("suppress_tokens", OptionalInt.of(id), tokens.length));
    }

    /** The same vocabulary with other types of its tokens. */
    VocabularyData withTypes(TokenType[] others) {
        return new VocabularyData(
                model, pre, tokens, others, merges, scores, ids, rules, suppressed);
    }

    static VarveException corrupt(String key, String expected, String found) {
        return new VarveException(
                VarveException.Kind.CORRUPT_FILE,
                "tokenizer.ggml." + key + ": expected " + expected + ", found " + found);
    }

    static void checkLength(String key, int found, int tokens) {
        if (found != tokens) {
            throw corrupt(key, tokens + " entries, one for each token", found + " entries");
        }
    }

    static void checkId(String key, OptionalInt id, int tokens) {
        if (id.isPresent() && (id.getAsInt() < 0 || id.getAsInt() >= tokens)) {
            throw corrupt(key, "a token id below " + tokens, Integer.toString(id.getAsInt()));
        }
    }
}
