package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;
import dev.varve.testkit.VocabularyOracle;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Tokens of random texts against those of libllama, over published vocabularies. Not compared are
 * pre-tokenizers that libllama approximates: those that distinguish capitals.
 */
class OracleTokenizerTest {
    private static final int TEXTS = Effort.of(800, 3_000);

    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"llama-spm", "phi-3", "llama-bpe", "gpt-2", "qwen35", "gemma-4"})
    void tokensOfPublishedVocabulariesEqualThoseOfLibllama(String name) {
        compare(GoldenVocabulary.file("ggml-vocab-" + name + ".gguf"), RandomText.NASTY);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"glm4", "hunyuan", "seed-coder", "smollm", "deepseek-v3", "olmo", "pixtral"})
    @ByDay({1, 5, 7})
    void wordsOfPreTokenizersEqualThoseOfLibllama(String pre) throws IOException {
        compare(renamed(pre), RandomText.NASTY);
    }

    /** Libllama leaves wide white space out of the East Asian characters, where it belongs. */
    @ParameterizedTest
    @ValueSource(strings = {"deepseek-coder", "deepseek-llm"})
    @ByDay(2)
    void wordsOfEarlierDeepSeeksEqualThoseOfLibllama(String pre) throws IOException {
        List<String> alphabet = new ArrayList<>(RandomText.NASTY);
        alphabet.removeAll(List.of("\u2028", "\u3000"));

        compare(renamed(pre), alphabet);
    }

    private static void compare(Path file, List<String> alphabet) {
        Tokenizer tokenizer = Tokenizer.of(GgufFile.open(file).metadata());
        Random random = new Random(4711);
        try (VocabularyOracle oracle = VocabularyOracle.open(file)) {
            assertEquals(oracle.size(), tokenizer.vocabularySize());
            assertEquals(oracle.addsBos(), tokenizer.addsBos());
            tokenizer
                    .endTokens()
                    .forEach(id -> assertTrue(oracle.endsGeneration(id), "token " + id));
            for (int round = 0; round < TEXTS; round++) {
                String text = RandomText.of(random, alphabet, 1 + random.nextInt(20));

                int[] expected = oracle.tokenize(text, true);

                assertArrayEquals(
                        expected,
                        tokenizer.encode(text, true),
                        () -> "text " + Arrays.toString(text.codePoints().toArray()));
                for (int id : expected) {
                    assertArrayEquals(
                            oracle.piece(id), tokenizer.piece(id, true), () -> "token " + id);
                }
            }
        }
    }

    private Path renamed(String pre) throws IOException {
        byte[] file = Files.readAllBytes(GoldenVocabulary.file("ggml-vocab-llama-bpe.gguf"));
        return Files.write(folder.resolve("vocabulary.gguf"), renamed(file, pre));
    }

    /** Replaces the name of the pre-tokenizer in a file without tensors. */
    private static byte[] renamed(byte[] file, String pre) {
        byte[] key = "tokenizer.ggml.pre".getBytes(StandardCharsets.US_ASCII);
        int at = 0;
        while (!Arrays.equals(file, at, at + key.length, key, 0, key.length)) {
            at++;
        }
        int length = at + key.length + Integer.BYTES;
        ByteBuffer values = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        int rest = length + Long.BYTES + (int) values.getLong(length);
        ByteArrayOutputStream renamed = new ByteArrayOutputStream(file.length + pre.length());
        renamed.write(file, 0, length);
        renamed.writeBytes(
                ByteBuffer.allocate(Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(pre.length())
                        .array());
        renamed.writeBytes(pre.getBytes(StandardCharsets.US_ASCII));
        renamed.write(file, rest, file.length - rest);
        return renamed.toByteArray();
    }
}
