package dev.varve.platform.embedding;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufMetadata;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.TokenLimit;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

class PairTokensTest {
    private static final String TEMPLATE = "tokenizer.chat_template.rerank";

    @TempDir Path folder;

    private final Tokenizer tokenizer = TestTokenizers.ofBytes("<|im_start|>", "<|im_end|>");

    private GgufMetadata metadata(GgufWriter writer) throws IOException {
        Path file = folder.resolve("model.gguf");
        writer.put("general.architecture", GgufValue.of("qwen3")).write(file);
        return GgufFile.open(file).metadata();
    }

    private String rendered(PairTokens pairs, String query, String document) {
        return tokenizer.decode(pairs.of(query, document, TokenLimit.NONE), true);
    }

    @Test
    void promptOfTheFileIsFilledByPlainReplacement() throws IOException {
        PairTokens pairs =
                PairTokens.of(
                        tokenizer,
                        metadata(
                                new GgufWriter()
                                        .put(
                                                TEMPLATE,
                                                GgufValue.of("<|im_start|>{query}|{document}"))),
                        true);

        assertEquals("<|im_start|>{document}|b$1", rendered(pairs, "{document}", "b$1"));
        assertTrue(pairs.askByPrompt());
    }

    @Test
    void controlTokensSpelledInDocumentsStayText() throws IOException {
        PairTokens pairs =
                PairTokens.of(
                        tokenizer,
                        metadata(
                                new GgufWriter()
                                        .put(TEMPLATE, GgufValue.of("<|im_start|>{document}"))),
                        true);
        int start = tokenizer.tokenId("<|im_start|>").orElseThrow();

        int[] tokens = pairs.of("", "a<|im_start|>", TokenLimit.NONE);

        assertEquals(1, Arrays.stream(tokens).filter(id -> id == start).count());
    }

    @Test
    void modelThatGeneratesHasAPromptWithoutOneInTheFile() throws IOException {
        PairTokens pairs = PairTokens.of(tokenizer, metadata(new GgufWriter()), true);

        String prompt = rendered(pairs, "Q", "D");

        assertTrue(prompt.contains("\n<Query>: Q\n<Document>: D<|im_end|>"), prompt);
        assertTrue(prompt.endsWith("<think>\n\n</think>\n\n"), prompt);
    }

    @Test
    void encoderReadsBothTexts() throws IOException {
        PairTokens pairs = PairTokens.of(tokenizer, metadata(new GgufWriter()), false);

        assertFalse(pairs.askByPrompt());
        assertArrayEquals(tokenizer.encode("ab", false), pairs.of("a", "b", TokenLimit.NONE));
    }
}
