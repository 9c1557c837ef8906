package dev.varve.platform.tokenizer;

import dev.varve.api.gguf.GgufMetadata;

import java.util.Arrays;
import java.util.OptionalInt;

/** Reads a vocabulary from the {@code tokenizer.ggml.*} keys of a model file. */
final class GgufVocabulary {
    private static final String PREFIX = "tokenizer.ggml.";
    private static final long[] NONE = {};

    private GgufVocabulary() {}

    static VocabularyData read(GgufMetadata metadata) {
        byte[][] tokens = metadata.stringBytes(PREFIX + "tokens");
        return new VocabularyData(
                metadata.string(PREFIX + "model"),
                metadata.findString(PREFIX + "pre").orElse(""),
                tokens,
                types(metadata, tokens.length),
                metadata.stringBytes(PREFIX + "merges"),
                id(metadata, "bos_token_id"),
                id(metadata, "eos_token_id"),
                id(metadata, "eot_token_id"),
                id(metadata, "eom_token_id"),
                metadata.findBool(PREFIX + "add_bos_token").orElse(false),
                Arrays.stream(metadata.findIntegers(PREFIX + "suppress_tokens").orElse(NONE))
                        .mapToInt(id -> toId("suppress_tokens", id))
                        .toArray());
    }

    /** If the file has no types, every token is an ordinary one. */
    private static TokenType[] types(GgufMetadata metadata, int tokens) {
        TokenType[] types = new TokenType[tokens];
        Arrays.fill(types, TokenType.NORMAL);
        metadata.findIntegers(PREFIX + "token_type")
                .ifPresent(
                        codes -> {
                            if (codes.length != tokens) {
                                throw VocabularyData.corrupt(
                                        "token_type",
                                        tokens + " entries, one for each token",
                                        codes.length + " entries");
                            }
                            Arrays.setAll(types, id -> TokenType.of(codes[id], id));
                        });
        return types;
    }

    /**
     * The id of a key, if the file has it.
     *
     * @param tokens size of the vocabulary
     */
    static OptionalInt id(GgufMetadata metadata, String key, int tokens) {
        OptionalInt id = id(metadata, key);
        VocabularyData.checkId(key, id, tokens);
        return id;
    }

    private static OptionalInt id(GgufMetadata metadata, String key) {
        return metadata.findInteger(PREFIX + key).stream()
                .mapToInt(id -> toId(key, id))
                .findFirst();
    }

    private static int toId(String key, long id) {
        if (id < 0 || id > Integer.MAX_VALUE) {
            throw VocabularyData.corrupt(key, "a token id", Long.toString(id));
        }
        return (int) id;
    }
}
