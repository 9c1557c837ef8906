package dev.varve.platform.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Builds small vocabularies, token by token. */
final class TestVocabulary {
    private final String model;
    private final String pre;
    private final List<byte[]> tokens = new ArrayList<>();
    private final List<TokenType> types = new ArrayList<>();
    private final List<byte[]> merges = new ArrayList<>();
    private final List<Float> scores = new ArrayList<>();
    private OptionalInt bosId = OptionalInt.empty();
    private OptionalInt eosId = OptionalInt.empty();
    private OptionalInt eotId = OptionalInt.empty();
    private TextRules rules = TextRules.DEFAULT;
    private int[] suppressed = {};

    private TestVocabulary(String model, String pre) {
        this.model = model;
        this.pre = pre;
    }

    static TestVocabulary empty(String model, String pre) {
        return new TestVocabulary(model, pre);
    }

    /** Token i is byte i, for the first 256 ids. */
    static TestVocabulary ofBytes(String pre) {
        TestVocabulary vocabulary = new TestVocabulary("gpt2", pre);
        for (int value = 0; value < 256; value++) {
            vocabulary.tokens.add(ByteAlphabet.encode(value));
            vocabulary.types.add(TokenType.NORMAL);
        }
        return vocabulary;
    }

    /** SentencePiece with its three special tokens, ids 0 to 2, and a token for each byte. */
    static TestVocabulary sentencePieceBytes() {
        TestVocabulary vocabulary =
                TestVocabulary.empty("llama", "default")
                        .token("<unk>", TokenType.UNKNOWN, 0)
                        .token("<s>", TokenType.CONTROL, 0)
                        .token("</s>", TokenType.CONTROL, 0);
        for (int value = 0; value < 256; value++) {
            vocabulary.token(
                    new String(ByteToken.text(value), StandardCharsets.US_ASCII),
                    TokenType.BYTE,
                    0);
        }
        return vocabulary.bos(1).eos(2);
    }

    /** Bytes, a few English merges and special tokens of each kind. */
    static TestVocabulary chat() {
        return ofBytes("qwen35")
                .merge("h", "e")
                .merge("l", "l")
                .merge("he", "ll")
                .merge("hell", "o")
                .merge("Ġ", "w")
                .merge("o", "r")
                .merge("Ġw", "or")
                .merge("l", "d")
                .merge("Ġwor", "ld")
                .merge("t", "h")
                .merge("th", "in")
                .merge("i", "n")
                .merge("Ċ", "Ċ")
                .merge("Ġ", "Ġ")
                .merge("s", "t")
                .merge("a", "r")
                .token("<|start|>", TokenType.CONTROL)
                .token("<|stop|>", TokenType.CONTROL)
                .token("<think>", TokenType.USER_DEFINED)
                .token("</think>", TokenType.USER_DEFINED)
                .token("<unk>", TokenType.UNKNOWN)
                .token("[PAD]", TokenType.UNUSED);
    }

    TestVocabulary token(String text, TokenType type) {
        tokens.add(text.getBytes(StandardCharsets.UTF_8));
        types.add(type);
        return this;
    }

    /** A token with a score; all tokens need one then. */
    TestVocabulary token(String text, TokenType type, float score) {
        scores.add(score);
        return token(text, type);
    }

    /** A token of the given bytes. */
    TestVocabulary byteToken(byte... bytes) {
        StringBuilder text = new StringBuilder();
        for (byte value : bytes) {
            text.append(new String(ByteAlphabet.encode(value & 0xFF), StandardCharsets.UTF_8));
        }
        return token(text.toString(), TokenType.NORMAL);
    }

    /** A merge rule and the token that it makes. */
    TestVocabulary merge(String left, String right) {
        return rule(left + " " + right).token(left + right, TokenType.NORMAL);
    }

    TestVocabulary rule(String rule) {
        merges.add(rule.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    TestVocabulary bos(int id, boolean add) {
        bosId = OptionalInt.of(id);
        return rules(
                new TextRules(Optional.of(add), rules.addsSpacePrefix(), rules.swallowsSpace()));
    }

    /** The file names a bos token, and not whether prompts begin with it. */
    TestVocabulary bos(int id) {
        bosId = OptionalInt.of(id);
        return this;
    }

    TestVocabulary rules(TextRules others) {
        rules = others;
        return this;
    }

    TestVocabulary eot(int id) {
        eotId = OptionalInt.of(id);
        return this;
    }

    TestVocabulary eos(int id) {
        eosId = OptionalInt.of(id);
        return this;
    }

    TestVocabulary suppress(int... ids) {
        suppressed = ids;
        return this;
    }

    int size() {
        return tokens.size();
    }

    VocabularyData data() {
        return new VocabularyData(
                model,
                pre,
                tokens.toArray(byte[][]::new),
                types.toArray(TokenType[]::new),
                merges.toArray(byte[][]::new),
                scores(),
                new NamedIds(bosId, eosId, eotId, OptionalInt.empty()),
                rules,
                suppressed);
    }

    private float[] scores() {
        float[] values = new float[scores.size()];
        for (int id = 0; id < values.length; id++) {
            values[id] = scores.get(id);
        }
        return values;
    }

    Tokenizer tokenizer() {
        return Tokenizer.of(data());
    }

    /** Id of a special token of a tokenizer, which must have it. */
    static int id(Tokenizer tokenizer, String text) {
        return tokenizer.tokenId(text).orElseThrow();
    }
}
