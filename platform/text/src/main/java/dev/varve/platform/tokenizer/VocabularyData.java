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
 * @param addsBos value of the file; some models override it
 * @param suppressed ids that must never be sampled
 */
record VocabularyData(
        String model,
        String pre,
        byte[][] tokens,
        TokenType[] types,
        byte[][] merges,
        OptionalInt bosId,
        OptionalInt eosId,
        OptionalInt eotId,
        OptionalInt eomId,
        boolean addsBos,
        int[] suppressed) {
    VocabularyData {
        if (tokens.length == 0) {
            throw corrupt("tokens", "at least one token", "none");
        }
        if (types.length != tokens.length) {
            throw corrupt(
                    "token_type",
                    tokens.length + " entries, one for each token",
                    types.length + " entries");
        }
        checkId("bos_token_id", bosId, tokens.length);
        checkId("eos_token_id", eosId, tokens.length);
        checkId("eot_token_id", eotId, tokens.length);
        checkId("eom_token_id", eomId, tokens.length);
        Arrays.stream(suppressed)
                .forEach(id -> checkId("suppress_tokens", OptionalInt.of(id), tokens.length));
    }

    static VarveException corrupt(String key, String expected, String found) {
        return new VarveException(
                VarveException.Kind.CORRUPT_FILE,
                "tokenizer.ggml." + key + ": expected " + expected + ", found " + found);
    }

    static void checkId(String key, OptionalInt id, int tokens) {
        if (id.isPresent() && (id.getAsInt() < 0 || id.getAsInt() >= tokens)) {
            throw corrupt(key, "a token id below " + tokens, Integer.toString(id.getAsInt()));
        }
    }
}
