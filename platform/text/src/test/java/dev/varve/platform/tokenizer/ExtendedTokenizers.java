package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.gguf.GgufFile;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Published vocabularies with special tokens that newer models have. */
public final class ExtendedTokenizers {
    private ExtendedTokenizers() {}

    /** Skips the test where the vocabulary is not there. */
    public static Tokenizer golden(String name, String... userDefined) {
        String shared = System.getProperty("varve.test.shared", "");
        Path file = Path.of(shared, "golden", "tokenizers", "ggml-vocab-" + name + ".gguf");
        assumeTrue(!shared.isEmpty() && Files.exists(file), "no golden vocabulary " + file);
        VocabularyData data = GgufVocabulary.read(GgufFile.open(file).metadata());
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
                        data.bosId(),
                        data.eosId(),
                        data.eotId(),
                        data.eomId(),
                        data.addsBos(),
                        data.suppressed()));
    }
}
