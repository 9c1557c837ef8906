package dev.varve.embedded;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.testkit.EncoderModel;
import dev.varve.testkit.TensorType;
import dev.varve.testkit.WordVectorModel;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Vectors and scores of models in this process. */
class EmbedderTest {
    private static final int RANK = 4;
    private static final EncoderOptions OPTIONS =
            EncoderOptions.DEFAULT
                    .withCacheFolder(Path.of("target", "varve-cache").toAbsolutePath())
                    .withThreads(1)
                    .withMessages(message -> {});
    private static final WordVectorModel WORDS =
            WordVectorModel.ofTexts(List.of("a cat sat on the mat", "dogs bark at night"));

    @TempDir static Path folder;

    private static Path words;
    private static Path ranking;
    private static Embedder embedder;
    private static Reranker reranker;

    @BeforeAll
    static void open() throws IOException {
        words = WORDS.write(folder);
        ranking =
                new EncoderModel(EncoderModel.Kind.BERT, 3, TensorType.F32, RANK, true)
                        .write(folder);
        embedder = Embedder.open(words, OPTIONS);
        reranker = Reranker.open(ranking, OPTIONS);
    }

    @AfterAll
    static void close() {
        embedder.close();
        reranker.close();
    }

    private static double product(float[] a, float[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }

    @Test
    void textsWithCommonWordsHaveSimilarVectors() {
        float[] cat = embedder.embed("The cat sat");

        assertEquals(1, product(cat, cat), 1e-6);
        assertEquals(1, product(cat, embedder.embed("sat the CAT")), 1e-6);
        assertTrue(product(cat, embedder.embed("a cat")) > 0.3);
        assertTrue(product(cat, embedder.embed("dogs bark at night")) < 0.3);
    }

    @Test
    void vectorsHaveTheOrderOfTheTextsAndTheirTokens() {
        List<String> texts = List.of("dogs bark at night", "cat", "a mat");

        Embeddings all = embedder.embed(texts);

        for (int i = 0; i < texts.size(); i++) {
            assertArrayEquals(embedder.embed(texts.get(i)), all.vectors().get(i), 1e-6f);
        }
        assertEquals(6 + 3 + 4, all.tokens());
        assertEquals(6, embedder.countTokens(texts.getFirst()));
        assertEquals(WORDS.vectorLength(), embedder.dimension());
        assertEquals(List.of(), embedder.embed(List.of()).vectors());
    }

    @Test
    void shorterVectorsAreCutThenNormalised() {
        float[] whole = embedder.embed("a cat");
        float[] first = Arrays.copyOf(whole, 32);
        double length = Math.sqrt(product(first, first));
        for (int i = 0; i < first.length; i++) {
            first[i] /= (float) length;
        }

        assertArrayEquals(first, embedder.embed(List.of("a cat"), 32).vectors().getFirst(), 1e-6f);
        try (Embedder cut = Embedder.open(words, OPTIONS.withDimension(32))) {
            assertEquals(32, cut.dimension());
            assertArrayEquals(first, cut.embed("a cat"), 1e-6f);
        }
    }

    @Test
    void tooLongTextIsRefusedWithoutItsWords() {
        VarveException failure =
                assertThrows(VarveException.class, () -> embedder.embed("cat ".repeat(100)));

        assertEquals(VarveException.Kind.CONTEXT_OVERFLOW, failure.kind());
        assertTrue(failure.getMessage().contains("102"), failure.getMessage());
        assertEquals(WORDS.maxTokens(), embedder.maxTokens());
    }

    @Test
    void factsDescribeTheModel() {
        ModelInfo info = embedder.info();

        assertEquals("bert", info.architecture());
        assertEquals(words.getFileName().toString(), info.name() + ".gguf");
        assertEquals(WORDS.maxTokens(), info.contextTokens());
        assertEquals("[cpu:0]", info.devices());
    }

    @Test
    void interruptedThreadIsCancelled() {
        Thread.currentThread().interrupt();

        VarveException failure = assertThrows(VarveException.class, () -> embedder.embed("a cat"));

        assertEquals(VarveException.Kind.CANCELLED, failure.kind());
        assertTrue(Thread.interrupted());
    }

    @Test
    void closedModelIsUnavailable() {
        Embedder closed = Embedder.open(words, OPTIONS);
        closed.close();

        VarveException failure = assertThrows(VarveException.class, () -> closed.embed("a cat"));

        assertEquals(VarveException.Kind.UNAVAILABLE, failure.kind());
    }

    @Test
    void optionsOutOfTheirRangeAreNamed() {
        assertEquals(
                "dimension: expected 1 to 128, found 129",
                refusal(OPTIONS.withDimension(129)).getMessage());
        assertEquals(
                "pooling: expected mean, cls or last, found rank",
                refusal(OPTIONS.withPooling("rank")).getMessage());
        assertThrows(
                IllegalArgumentException.class,
                () -> Reranker.open(ranking, OPTIONS.withDimension(8)));
    }

    private static IllegalArgumentException refusal(EncoderOptions options) {
        return assertThrows(
                IllegalArgumentException.class, () -> Embedder.open(words, options).close());
    }

    @Test
    void poolingOfTheOptionsReplacesThatOfTheFile() {
        try (Embedder last = Embedder.open(words, OPTIONS.withPooling("cls"))) {
            // The row of the token before a text is zero in this model.
            assertEquals(0, product(last.embed("a cat"), last.embed("a cat")));
        }
    }

    @Test
    void modelOfTheOtherKindIsRefused() {
        VarveException scores =
                assertThrows(VarveException.class, () -> Embedder.open(ranking, OPTIONS));
        VarveException vectors =
                assertThrows(VarveException.class, () -> Reranker.open(words, OPTIONS));
        VarveException recurrent =
                assertThrows(VarveException.class, () -> Embedder.open(DemoModels.QWEN35, OPTIONS));

        assertTrue(scores.getMessage().contains("open it as a Reranker"), scores.getMessage());
        assertEquals(VarveException.Kind.UNSUPPORTED_MODEL, vectors.kind());
        assertEquals(VarveException.Kind.UNSUPPORTED_MODEL, recurrent.kind());
    }

    @Test
    void documentsAreScoredInTheirOrderAndRanked() {
        List<String> documents = List.of("the cat sat", "a b c", "happy", "the cat sat");

        Ranking ranked = reranker.score("the cat", documents);

        List<ScoredDocument> all = ranked.documents();
        assertEquals(documents, all.stream().map(ScoredDocument::text).toList());
        assertEquals(all.get(0).score(), all.get(3).score(), 1e-5);
        ScoredDocument single = reranker.score("the cat", List.of("happy")).documents().getFirst();
        assertEquals(single.score(), all.get(2).score(), 1e-5);
        assertEquals(1 / (1 + Math.exp(-single.score())), single.probability(), 1e-9);
        double highest = all.stream().mapToDouble(ScoredDocument::score).max().orElseThrow();
        assertEquals(highest, ranked.best(1).getFirst().score());
        assertEquals(4, ranked.best(9).size());
        assertEquals(
                documents.stream().mapToInt(each -> reranker.countTokens("the cat", each)).sum(),
                ranked.tokens());
    }
}
