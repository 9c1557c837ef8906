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
    private static final int BERT_BEGIN = 101;
    private static final int BERT_SEPARATOR = 102;

    private GgufVocabulary() {}

    static VocabularyData read(GgufMetadata metadata) {
        String model = metadata.string(PREFIX + "model");
        byte[][] tokens = metadata.stringBytes(PREFIX + "tokens");
        boolean sentencePiece = model.equals(MergeAlgorithm.SENTENCE_PIECE);
        boolean scored = sentencePiece || model.equals(MergeAlgorithm.UNIGRAM);
        boolean merged = !scored && !model.equals(MergeAlgorithm.WORD_PIECE);
        return new VocabularyData(
                model,
                metadata.findString(PREFIX + "pre").orElse(""),
                tokens,
                types(metadata, tokens.length),
                merged ? metadata.stringBytes(PREFIX + "merges") : new byte[0][],
                scored ? scores(metadata) : new float[0],
                namedIds(metadata, model, tokens.length),
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
                isPhi3(metadata),
                normalizer(metadata));
    }

    private static NormalizerRules normalizer(GgufMetadata metadata) {
        boolean lowerCase = metadata.findBool(PREFIX + "normalizer.lowercase").orElse(true);
        return new NormalizerRules(
                lowerCase,
                metadata.findBool(PREFIX + "normalizer.strip_accents").orElse(lowerCase),
                metadata.findBool(PREFIX + "remove_extra_whitespaces").orElse(false),
                metadata.findIntegers(PREFIX + "precompiled_charsmap")
                        .map(GgufVocabulary::bytes)
                        .orElse(NormalizerRules.NO_MAP),
                id(metadata, "unknown_token_id"));
    }

    private static byte[] bytes(long[] values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    /**
     * Reads the tokens around texts.
     *
     * @param vocabulary read from the same file
     * @param addsBos whether texts begin with the bos token
     */
    static TextFrame frame(GgufMetadata metadata, VocabularyData vocabulary, boolean addsBos) {
        int tokens = vocabulary.tokens().length;
        boolean words = vocabulary.model().equals(MergeAlgorithm.WORD_PIECE);
        OptionalInt separator = optionalId(metadata, "seperator_token_id", tokens);
        if (separator.isEmpty() && words && tokens > BERT_SEPARATOR) {
            separator = OptionalInt.of(BERT_SEPARATOR);
        }
        OptionalInt eos = vocabulary.ids().eos().isPresent() ? vocabulary.ids().eos() : separator;
        OptionalInt none = OptionalInt.empty();
        boolean addsEos =
                metadata.findBool(PREFIX + "add_eos_token")
                        .orElse(vocabulary.model().equals(MergeAlgorithm.UNIGRAM));
        boolean addsSeparator = metadata.findBool(PREFIX + "add_sep_token").orElse(words);
        OptionalInt end = addsEos ? eos : none;
        return new TextFrame(
                addsBos ? vocabulary.ids().bos() : none,
                words ? separator : end,
                end,
                addsSeparator ? separator : none);
    }

    private static NamedIds namedIds(GgufMetadata metadata, String model, int tokens) {
        return switch (model) {
            case MergeAlgorithm.SENTENCE_PIECE -> sentencePieceIds(metadata, tokens);
            case MergeAlgorithm.WORD_PIECE -> wordPieceIds(metadata, tokens);
            default -> ids(metadata);
        };
    }

    /** Numbers of BERT for its special tokens where the file has no keys for them. */
    private static NamedIds wordPieceIds(GgufMetadata metadata, int tokens) {
        NamedIds named = ids(metadata);
        OptionalInt bos =
                named.bos().isEmpty() && tokens > BERT_BEGIN
                        ? OptionalInt.of(BERT_BEGIN)
                        : named.bos();
        return new NamedIds(bos, named.eos(), named.eot(), named.eom());
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
