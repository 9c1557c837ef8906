package dev.varve.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

class OracleTest {
    private static final OracleOptions OPTIONS = OracleOptions.defaults().withContext(1024);

    @TempDir Path folder;

    @Test
    void optionsReachTheContext() throws IOException {
        OracleOptions options =
                OPTIONS.withBatch(256).withUbatch(64).withSequences(2).withThreads(1);

        try (Oracle oracle = Oracle.open(Qwen35Model.tiny().write(folder), options)) {
            assertEquals(1024, oracle.contextNumber("llama_n_ctx"));
            assertEquals(512, oracle.contextNumber("llama_n_ctx_seq"));
            assertEquals(256, oracle.contextNumber("llama_n_batch"));
            assertEquals(64, oracle.contextNumber("llama_n_ubatch"));
            assertEquals(2, oracle.contextNumber("llama_n_seq_max"));
            assertEquals(1, oracle.contextNumber("llama_n_threads"));
            assertEquals(1, oracle.contextNumber("llama_n_threads_batch"));
            assertEquals(320, oracle.vocabularyTokens());
        }
    }

    /** Shows that the load mode is where the layout says; the library cannot be asked for it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void weightsAreMappedOnlyOnRequest(boolean mmap) throws IOException {
        Path file = Qwen35Model.tiny().write(folder);

        try (Oracle oracle = Oracle.open(file, OPTIONS.withMmap(mmap))) {
            boolean mapped =
                    Files.readString(Path.of("/proc/self/maps"))
                            .contains(file.getFileName().toString());

            assertEquals(mmap, mapped, oracle.options().toString());
        }
    }

    @Test
    void twoOraclesOfOneFileAgreeBitwise() throws IOException {
        Path file = Qwen35Model.tiny().withType(TensorType.Q4_0).write(folder);
        int[] tokens = Qwen35Model.tiny().randomTokens(100, 3);

        float[][] first = logits(file, OPTIONS, tokens);
        float[][] second = logits(file, OPTIONS, tokens);

        assertArrayEquals(first, second);
    }

    @Test
    void runLeavesNothingForTheNextOne() throws IOException {
        int[] tokens = Qwen35Model.tiny().randomTokens(40, 4);
        try (Oracle oracle = Oracle.open(Qwen35Model.tiny().write(folder), OPTIONS)) {
            float[][] fresh = oracle.logits(tokens);
            oracle.greedy(Qwen35Model.tiny().randomTokens(300, 5), 8);

            assertArrayEquals(fresh, oracle.logits(tokens));
        }
    }

    /** 600 tokens are more than one cache page of 256 and more than one default batch of 512. */
    @ParameterizedTest
    @ValueSource(ints = {2, 7, 32, 64, 512})
    @ByDay({1, 3})
    void withAnEightBitCacheTheBatchSizeChangesNoBit(int ubatch) throws IOException {
        Path file = Qwen35Model.tiny().withType(TensorType.Q8_0).write(folder);
        int[] tokens = Qwen35Model.tiny().randomTokens(600, 6);
        OracleOptions options = OPTIONS.withCache(TensorType.Q8_0);

        float[][] expected = logits(file, options.withUbatch(600).withBatch(600), tokens);
        float[][] actual = logits(file, options.withUbatch(ubatch), tokens);

        assertEquals(0, Comparison.worstRelativeL2(expected, actual));
    }

    @Test
    @Tag("nightly")
    void longPromptIsSplitIntoBatchesWithoutLosingState() throws IOException {
        Path file = Qwen35Model.tiny().withType(TensorType.Q8_0).write(folder);
        int[] tokens = Qwen35Model.tiny().randomTokens(500, 7);
        OracleOptions options = OPTIONS.withCache(TensorType.Q8_0);

        float[][] whole = logits(file, options, tokens);
        float[][] cut = logits(file, options.withBatch(96).withUbatch(96), tokens);

        assertEquals(0, Comparison.worstRelativeL2(whole, cut));
    }

    @Test
    void greedyTakesTheBestTokenOfEachStep() throws IOException {
        Path file = Qwen35Model.tiny().withType(TensorType.Q8_0).write(folder);
        int[] prompt = Qwen35Model.tiny().randomTokens(20, 8);
        try (Oracle oracle = Oracle.open(file, OPTIONS.withCache(TensorType.Q8_0))) {
            Comparison.GreedyRun run = oracle.greedyRun(prompt, 12);
            int[] all = Arrays.copyOf(prompt, prompt.length + 12);
            System.arraycopy(run.tokens(), 0, all, prompt.length, 12);

            float[][] rows = oracle.logits(all);

            assertArrayEquals(
                    Arrays.copyOfRange(rows, prompt.length - 1, all.length - 1), run.logits());
            assertArrayEquals(oracle.greedy(prompt, 12), run.tokens());
        }
    }

    @Test
    @Tag("nightly")
    void greedyRunHasClearWinnersAndNoControlTokens() throws IOException {
        try (Oracle oracle = Oracle.open(Qwen35Model.tiny().write(folder), OPTIONS)) {
            Comparison.GreedyRun run =
                    oracle.greedyRun(Qwen35Model.tiny().randomTokens(16, 9), 200);

            TestVocabulary vocabulary = TestVocabulary.of(320);
            double[] margins =
                    Arrays.stream(run.logits())
                            .mapToDouble(row -> Comparison.topTwo(row).margin())
                            .toArray();
            Arrays.sort(margins);
            assertTrue(margins[100] > 0.5, "median margin " + margins[100]);
            assertTrue(
                    Arrays.stream(run.tokens()).noneMatch(vocabulary.controlIds()::contains),
                    Arrays.toString(run.tokens()));
            assertTrue(
                    Arrays.stream(run.tokens()).distinct().count() > 20,
                    Arrays.toString(run.tokens()));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hello world",
                "the water\n\tis 42 °C, naïve — 漢字 🙂",
                "<|im_start|>user\nthe stone<|im_end|>",
                ""
            })
    void piecesOfAllTokensAreTheText(String text) throws IOException {
        try (Oracle oracle = Oracle.open(Qwen35Model.tiny().write(folder), OPTIONS)) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (int token : oracle.tokenize(text, true, true)) {
                bytes.writeBytes(oracle.piece(token));
            }

            assertEquals(text, bytes.toString(StandardCharsets.UTF_8));
        }
    }

    @Test
    void wordsAndControlTokensAreOneTokenEach() throws IOException {
        TestVocabulary vocabulary = TestVocabulary.of(320);
        try (Oracle oracle = Oracle.open(Qwen35Model.tiny().write(folder), OPTIONS)) {
            int[] tokens = oracle.tokenize("<|im_start|>the water<think>", false, true);

            int[] expected = {
                vocabulary.id("<|im_start|>"),
                vocabulary.id("the"),
                vocabulary.id("Ġwater"),
                vocabulary.id("<think>")
            };
            assertArrayEquals(expected, tokens);
        }
    }

    @Test
    void eachBenchmarkReportsASpeed() throws IOException {
        try (Oracle oracle =
                Oracle.open(Qwen35Model.tiny().write(folder), OPTIONS.withSequences(4))) {
            assertTrue(oracle.prefillTokensPerSecond(100) > 1);
            assertTrue(oracle.decodeTokensPerSecond(20) > 1);
            assertTrue(oracle.batchedDecode(4, 10, 10) > 1);
        }
    }

    @Test
    void fileThatIsNoModelIsRefusedWithTheReason() throws IOException {
        Path file = Files.writeString(folder.resolve("bad.gguf"), "not a model at all");

        var failure =
                assertThrows(IllegalArgumentException.class, () -> Oracle.open(file, OPTIONS));

        assertTrue(failure.getMessage().contains("magic"), failure.getMessage());
    }

    @Test
    void closedOracleRefusesWork() throws IOException {
        Oracle oracle = Oracle.open(Qwen35Model.tiny().write(folder), OPTIONS);
        oracle.close();
        oracle.close();

        assertThrows(IllegalStateException.class, () -> oracle.greedy(new int[] {1}, 1));
    }

    private static float[][] logits(Path file, OracleOptions options, int[] tokens) {
        try (Oracle oracle = Oracle.open(file, options)) {
            return oracle.logits(tokens);
        }
    }
}
