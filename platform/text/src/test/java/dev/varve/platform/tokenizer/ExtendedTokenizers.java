package dev.varve.platform.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Published vocabularies with special tokens that newer models have. */
public final class ExtendedTokenizers {
    private ExtendedTokenizers() {}

    /** Skips the test where the vocabulary is not there. */
    public static Tokenizer golden(String name, String... userDefined) {
        VocabularyData data = GoldenVocabulary.data(name);
        int size = data.tokens().length;
        byte[][] tokens = Arrays.copyOf(data.tokens(), size + userDefined.length);
        TokenType[] types = Arrays.copyOf(data.types(), tokens.length);
        for (int added = 0; added < userDefined.length; added++) {
            tokens[size + added] = userDefined[added].getBytes(StandardCharsets.UTF_8);
            types[size + added] = TokenType.USER_DEFINED;
        }
        return Tokenizer.of(
                new VocabularyData(
                        data.model(),
                        data.pre(),
                        tokens,
                        types,
                        data.merges(),
                        data.scores().length == 0
                                ? data.scores()
                                : Arrays.copyOf(data.scores(), tokens.length),
                        data.ids(),
                        data.rules(),
                        data.suppressed()));
    }
}
