package dev.varve.langchain4j;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.langchain4j.data.document.Document;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.model.embedding.listener.EmbeddingModelListener;
import dev.langchain4j.model.embedding.listener.EmbeddingModelResponseContext;
import dev.langchain4j.model.embedding.request.EmbeddingInputType;
import dev.langchain4j.model.embedding.request.EmbeddingRequest;
import dev.langchain4j.model.embedding.response.EmbeddingResponse;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.rag.content.aggregator.ReRankingContentAggregator;
import dev.langchain4j.rag.content.retriever.EmbeddingStoreContentRetriever;
import dev.langchain4j.rag.query.Query;
import dev.langchain4j.store.embedding.EmbeddingStoreIngestor;
import dev.langchain4j.store.embedding.inmemory.InMemoryEmbeddingStore;
import dev.varve.embedded.Embedder;
import dev.varve.embedded.EncoderOptions;
import dev.varve.embedded.Reranker;
import dev.varve.testkit.EncoderModel;
import dev.varve.testkit.TensorType;
import dev.varve.testkit.WordVectorModel;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Embeddings and scores of LangChain4j over models in this process. */
class VarveEmbeddingModelTest {
    private static final int RANK = 4;
    private static final EncoderOptions OPTIONS =
            EncoderOptions.DEFAULT
                    .withCacheFolder(Path.of("target", "varve-cache").toAbsolutePath())
                    .withThreads(1)
                    .withMessages(message -> {});
    private static final List<String> NOTES =
            List.of(
                    "The harbour opens at six in the morning",
                    "Anna keeps the keys of the lighthouse",
                    "Bread is baked on Fridays");

    @TempDir static Path folder;

    private static Embedder embedder;
    private static Reranker reranker;

    private final VarveEmbeddingModel model = new VarveEmbeddingModel(embedder);

    @BeforeAll
    static void open() throws IOException {
        embedder = Embedder.open(WordVectorModel.ofTexts(NOTES).write(folder), OPTIONS);
        reranker =
                Reranker.open(
                        new EncoderModel(EncoderModel.Kind.BERT, 3, TensorType.F32, RANK, true)
                                .write(folder),
                        OPTIONS);
    }

    @AfterAll
    static void close() {
        embedder.close();
        reranker.close();
    }

    @Test
    void responseHasVectorsNameAndUsage() {
        EmbeddingResponse response =
                model.embed(EmbeddingRequest.builder().inputs("the keys", "bread").build());

        assertArrayEquals(embedder.embed("bread"), response.embeddings().get(1).vector(), 1e-6f);
        assertEquals(embedder.info().name(), response.modelName());
        assertEquals(4 + 3, response.tokenUsage().inputTokenCount());
        assertEquals(embedder.dimension(), model.dimension());
    }

    @Test
    void requestSelectsDimensionsAndPrefix() {
        VarveEmbeddingModel prefixed =
                new VarveEmbeddingModel(embedder, "anna ", "bread ", List.of());

        EmbeddingResponse response =
                prefixed.embed(
                        EmbeddingRequest.builder()
                                .inputs("the keys")
                                .dimensions(16)
                                .inputType(EmbeddingInputType.QUERY)
                                .build());

        assertArrayEquals(
                embedder.embed(List.of("anna the keys"), 16).vectors().getFirst(),
                response.embeddings().getFirst().vector(),
                1e-6f);
    }

    @Test
    void listenersReceiveResponses() {
        AtomicInteger responses = new AtomicInteger();
        EmbeddingModelListener listener =
                new EmbeddingModelListener() {
                    @Override
                    public void onResponse(EmbeddingModelResponseContext context) {
                        responses.incrementAndGet();
                    }
                };

        new VarveEmbeddingModel(embedder, "", "", List.of(listener)).embed("bread");

        assertEquals(1, responses.get());
    }

    @Test
    void tooLongTextIsNotRetriable() {
        assertThrows(InvalidRequestException.class, () -> model.embed("bread ".repeat(99)));
    }

    @Test
    void retrieverFindsTheNoteOfAQuestion() {
        InMemoryEmbeddingStore<TextSegment> store = new InMemoryEmbeddingStore<>();
        EmbeddingStoreIngestor.builder()
                .embeddingModel(model)
                .embeddingStore(store)
                .build()
                .ingest(NOTES.stream().map(Document::from).toList());
        var retriever =
                EmbeddingStoreContentRetriever.builder()
                        .embeddingModel(model)
                        .embeddingStore(store)
                        .maxResults(1)
                        .build();

        var found = retriever.retrieve(Query.from("Who keeps the keys of the lighthouse?"));

        assertEquals(NOTES.get(1), found.getFirst().textSegment().text());
    }

    @Test
    void scoresAreSharesInTheOrderOfTheTexts() {
        List<TextSegment> texts = List.of(TextSegment.from("the cat sat"), TextSegment.from("a b"));
        VarveScoringModel scoring = new VarveScoringModel(reranker);

        Response<List<Double>> scores = scoring.scoreAll(texts, "the cat");

        List<Double> expected =
                texts.stream().map(text -> scoring.score(text, "the cat").content()).toList();
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(expected.get(i), scores.content().get(i), 1e-5);
            assertTrue(scores.content().get(i) > 0 && scores.content().get(i) < 1);
        }
        assertTrue(scores.tokenUsage().inputTokenCount() > 6, scores.toString());
    }

    @Test
    void aggregatorRanksByTheScores() {
        var aggregator = new ReRankingContentAggregator(new VarveScoringModel(reranker));
        Query query = Query.from("the cat");
        List<dev.langchain4j.rag.content.Content> contents =
                List.of("happy", "a b", "the cat sat").stream()
                        .map(dev.langchain4j.rag.content.Content::from)
                        .toList();

        var ranked = aggregator.aggregate(Map.of(query, List.of(contents)));

        assertEquals(
                reranker.score("the cat", List.of("happy", "a b", "the cat sat"))
                        .best(1)
                        .getFirst()
                        .text(),
                ranked.getFirst().textSegment().text());
    }
}
