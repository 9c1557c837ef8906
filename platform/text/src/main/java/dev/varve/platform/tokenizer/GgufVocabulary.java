package dev.varve.platform.tokenizer;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufMetadata;
import dev.varve.api.gguf.GgufValue;

import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalInt;

/** Reads a vocabulary from the {@code tokenizer.ggml.*} keys of a model file. */
final class GgufVocabulary {
    private static final System.Logger LOG = System.getLogger("dev.varve.tokenizer");
    private static final String PREFIX = "tokenizer.ggml.";
    private static final long[] NONE = {};

    private GgufVocabulary() {}

    static VocabularyData read(GgufMetadata metadata) {
        String model = metadata.string(PREFIX + "model");
        byte[][] tokens = metadata.stringBytes(PREFIX + "tokens");
        boolean scored = model.equals(MergeAlgorithm.SENTENCE_PIECE);
        return new VocabularyData(
                model,
                metadata.findString(PREFIX + "pre").orElse(""),
                tokens,
                types(metadata, tokens.length),
                scored ? new byte[0][] : metadata.stringBytes(PREFIX + "merges"),
                scored ? scores(metadata) : new float[0],
                scored ? sentencePieceIds(metadata, tokens.length) : ids(metadata),
                rules(metadata),
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
                            VocabularyData.checkLength("token_type", codes.length, tokens);
                            Arrays.setAll(types, id -> TokenType.of(codes[id], id));
                        });
        return types;
    }

    /** Some files have integers. */
    private static float[] scores(GgufMetadata metadata) {
        String key = PREFIX + "scores";
        boolean integers =
                metadata.find(key)
                        .filter(
                                value ->
                                        value instanceof GgufValue.Wholes
                                                || value instanceof GgufValue.SmallWholes)
                        .isPresent();
        if (!integers) {
            return metadata.floats(key);
        }
        long[] values = metadata.integers(key);
        float[] scores = new float[values.length];
        for (int id = 0; id < scores.length; id++) {
            scores[id] = values[id];
        }
        return scores;
    }

    private static TextRules rules(GgufMetadata metadata) {
        return new TextRules(
                metadata.findBool(PREFIX + "add_bos_token"),
                metadata.findBool(PREFIX + "add_space_prefix").orElse(true),
                isPhi3(metadata));
    }

    /** Nothing but the name distinguishes these vocabularies, which all others read otherwise. */
    private static boolean isPhi3(GgufMetadata metadata) {
        String name = metadata.findString("general.name").orElse("").toLowerCase(Locale.ROOT);
        return name.contains("phi3") || name.contains("phi-3");
    }

    private static NamedIds ids(GgufMetadata metadata) {
        return new NamedIds(
                id(metadata, "bos_token_id"),
                id(metadata, "eos_token_id"),
                id(metadata, "eot_token_id"),
                id(metadata, "eom_token_id"));
    }

    /** Numbers of SentencePiece for its special tokens where the file has no keys for them. */
    private static NamedIds sentencePieceIds(GgufMetadata metadata, int tokens) {
        NamedIds named = ids(metadata);
        return new NamedIds(
                named.bos().isEmpty() && tokens > 1 ? OptionalInt.of(1) : named.bos(),
                named.eos().isEmpty() && tokens > 2 ? OptionalInt.of(2) : named.eos(),
                named.eot(),
                named.eom());
    }

    /**
     * The id of a key without which the model is still usable. An invalid value is ignored with a
     * warning.
     *
     * @param tokens size of the vocabulary
     */
    static OptionalInt optionalId(GgufMetadata metadata, String key, int tokens) {
        try {
            OptionalInt id = id(metadata, key);
            VocabularyData.checkId(key, id, tokens);
            return id;
        } catch (VarveException invalid) {
            LOG.log(Level.WARNING, "the key is ignored: {0}", invalid.getMessage());
            return OptionalInt.empty();
        }
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
