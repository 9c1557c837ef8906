package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.Pooling;
import dev.varve.platform.embedding.PairTokens;
import dev.varve.platform.embedding.TextEmbedder;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Vectors and scores over HTTP, of an encoder that counts. */
@Timeout(60)
class EncodingRouteTest {
    private final ScriptedEngine engine = new ScriptedEngine().hasContext(1000);
    private Optional<TestServer> server = Optional.empty();

    /** Vectors hold the number of tokens and twos; scores are the number of tokens. */
    private record Counting(Pooling pooling, PairTokens pairs) implements TextEmbedder {
        @Override
        public int width() {
            return 3;
        }

        @Override
        public int maxTokens() {
            return 8;
        }

        @Override
        public float[][] encode(List<int[]> texts, BooleanSupplier cancelled) {
            return texts.stream()
                    .map(
                            text ->
                                    switch (pooling) {
                                        case RANK -> new float[] {text.length};
                                        case NONE -> new float[3 * text.length];
                                        default -> new float[] {text.length, 2, 2};
                                    })
                    .toArray(float[][]::new);
        }
    }

    @AfterEach
    void stop() {
        server.ifPresent(TestServer::close);
        engine.close();
    }

    private TestServer serving(Pooling pooling, boolean only) {
        ServedModel chat = SmallChat.served(engine);
        Tokenizer tokenizer = chat.textProcessing().tokenizer();
        ServedModel served =
                chat.with(
                        new ServedModel.Encoding(
                                new Counting(pooling, PairTokens.plain(tokenizer)), only));
        TestServer started = TestServer.of(served);
        server = Optional.of(started);
        return started;
    }

    private JsonNode embed(String fields) throws Exception {
        HttpResponse<String> response =
                serving(Pooling.MEAN, true).post("/v1/embeddings", "{" + fields + "}");
        assertEquals(200, response.statusCode(), response.body());
        return TestServer.json(response);
    }

    private static String error(HttpResponse<String> response) {
        assertEquals(400, response.statusCode(), response.body());
        return TestServer.json(response).get("error").get("message").stringValue();
    }

    @Test
    void vectorsHaveLengthOneAndTheOrderOfTheInput() throws Exception {
        JsonNode answer = embed("\"input\": [\"a\", \"b\"], \"model\": \"x\"");

        assertEquals("list", answer.get("object").stringValue());
        assertEquals(2, answer.get("data").size());
        assertEquals(1, answer.get("data").get(1).get("index").intValue());
        JsonNode vector = answer.get("data").get(0).get("embedding");
        assertEquals(1 / 3.0, vector.get(0).doubleValue(), 1e-6);
        assertEquals(2 / 3.0, vector.get(2).doubleValue(), 1e-6);
        assertEquals(2, answer.get("usage").get("prompt_tokens").intValue());
        assertEquals(2, answer.get("usage").get("total_tokens").intValue());
    }

    @ParameterizedTest
    @CsvSource({"'[5, 6, 7]', 1, 3", "'[[5], [6, 7]]', 2, 3", "'\"a\"', 1, 1"})
    void inputMayBeTokenIds(String input, int vectors, int tokens) throws Exception {
        JsonNode answer = embed("\"input\": " + input);

        assertEquals(vectors, answer.get("data").size());
        assertEquals(tokens, answer.get("usage").get("prompt_tokens").intValue());
    }

    @Test
    void shorterVectorsAreCutBeforeTheyAreScaled() throws Exception {
        JsonNode answer = embed("\"input\": [5, 6], \"dimensions\": 2");

        JsonNode vector = answer.get("data").get(0).get("embedding");
        assertEquals(2, vector.size());
        assertEquals(Math.sqrt(0.5), vector.get(0).doubleValue(), 1e-6);
    }

    @Test
    void base64HoldsLittleEndianFloats() throws Exception {
        JsonNode answer =
                embed("\"input\": \"a\", \"encoding_format\": \"base64\", \"embd_normalize\": -1");

        byte[] bytes =
                Base64.getDecoder()
                        .decode(answer.get("data").get(0).get("embedding").stringValue());
        ByteBuffer floats = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(12, bytes.length);
        assertEquals(1, floats.getFloat());
        assertEquals(2, floats.getFloat());
    }

    @Test
    void ollamaClientsGetVectorsOfLengthOne() throws Exception {
        HttpResponse<String> response =
                serving(Pooling.MEAN, true)
                        .post(
                                "/api/embed",
                                "{\"model\": \"x\", \"input\": [\"a\", \"ab\"],"
                                        + " \"truncate\": true, \"options\": {\"num_ctx\": 9}}");

        assertEquals(200, response.statusCode(), response.body());
        JsonNode answer = TestServer.json(response);
        assertEquals(2, answer.get("embeddings").size());
        assertEquals(2 / 3.0, answer.at("/embeddings/0/2").doubleValue(), 1e-6);
        assertTrue(answer.get("prompt_eval_count").intValue() >= 2);
        assertTrue(answer.get("total_duration").isIntegralNumber());
    }

    @Test
    void olderOllamaClientsGetOneVectorAsComputed() throws Exception {
        HttpResponse<String> response =
                serving(Pooling.MEAN, true).post("/api/embeddings", "{\"prompt\": \"a\"}");

        assertEquals("{\"embedding\":[1.0,2.0,2.0]}", response.body());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/api/embed | {} | input: missing",
                "/api/embed | {\"input\": 5} | input: expected a string",
                "/api/embed | {\"input\": \"a\", \"dimensions\": 9} | dimensions: expected",
                "/api/embeddings | {\"prompt\": []} | prompt: expected a string",
                "/api/embeddings | {} | prompt: missing"
            })
    void wrongBodiesOfOllamaClientsAreRefused(String path, String body, String message)
            throws Exception {
        HttpResponse<String> response = serving(Pooling.MEAN, true).post(path, body);

        assertEquals(400, response.statusCode(), response.body());
        String error = TestServer.json(response).get("error").stringValue();
        assertTrue(error.contains(message), error);
    }

    @Test
    void ollamaHasNoFormatForVectorsOfTokens() throws Exception {
        HttpResponse<String> response =
                serving(Pooling.NONE, true).post("/api/embed", "{\"input\": \"a\"}");

        assertEquals(400, response.statusCode());
        assertTrue(response.body().contains("/v1/embeddings"), response.body());
    }

    @Test
    void longTextIsRefusedByIndexTokensAndLimit() throws Exception {
        String message =
                error(
                        serving(Pooling.CLS, true)
                                .post("/v1/embeddings", "{\"input\": [[1], [1,2,3,4,5,6,7,8,9]]}"));

        assertTrue(message.startsWith("input[1]: expected a text of at most 8 tokens"), message);
        assertTrue(message.contains("found 9"), message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"input\": []",
                "\"input\": \"\"",
                "\"input\": 5",
                "\"input\": [[]]",
                "\"input\": [99999999]",
                "\"input\": [{}]",
                "\"input\": \"a\", \"dimensions\": 4",
                "\"input\": \"a\", \"encoding_format\": \"hex\""
            })
    void wrongInputIsRefused(String fields) throws Exception {
        error(serving(Pooling.MEAN, true).post("/embeddings", "{" + fields + "}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/rerank", "/rerank", "/reranking"})
    void documentsAreSortedByScore(String path) throws Exception {
        JsonNode answer =
                TestServer.json(
                        serving(Pooling.RANK, true)
                                .post(
                                        path,
                                        "{\"query\": \"a\", \"documents\": [\"b\", \"abc\","
                                                + " {\"text\": \"ab\"}], \"top_n\": 2,"
                                                + " \"return_documents\": true}"));

        JsonNode results = answer.get("results");
        assertEquals(2, results.size());
        assertEquals(1, results.get(0).get("index").intValue());
        assertEquals(2, results.get(1).get("index").intValue());
        assertEquals("ab", results.get(1).get("document").get("text").stringValue());
        assertTrue(
                results.get(0).get("relevance_score").doubleValue()
                        > results.get(1).get("relevance_score").doubleValue());
        assertTrue(answer.get("usage").get("total_tokens").intValue() > 0);
    }

    @Test
    void textsGetABareList() throws Exception {
        JsonNode answer =
                TestServer.json(
                        serving(Pooling.RANK, true)
                                .post(
                                        "/rerank",
                                        "{\"query\": \"a\", \"texts\": [\"b\"],"
                                                + " \"normalize\": true}"));

        assertTrue(answer.isArray());
        assertTrue(answer.get(0).get("score").doubleValue() < 1);
        assertFalse(answer.get(0).has("text"));
    }

    @Test
    void modelWithoutVectorsNamesTheFlag() throws Exception {
        server = Optional.of(TestServer.of(SmallChat.served(engine)));

        String message = error(server.get().post("/v1/embeddings", "{\"input\": \"a\"}"));

        assertTrue(message.contains("generates text; start the server with"), message);
    }

    @Test
    void modelOfOtherResultsNamesTheRoute() throws Exception {
        TestServer ranking = serving(Pooling.RANK, true);
        assertTrue(
                error(ranking.post("/v1/embeddings", "{\"input\": \"a\"}")).contains("/v1/rerank"));
        ranking.close();

        assertTrue(
                error(
                                serving(Pooling.MEAN, true)
                                        .post(
                                                "/v1/rerank",
                                                "{\"query\": \"a\", \"documents\": [\"b\"]}"))
                        .contains("/v1/embeddings"));
    }

    @Test
    void encoderRefusesToGenerate() throws Exception {
        String message =
                error(
                        serving(Pooling.MEAN, true)
                                .post(
                                        "/v1/chat/completions",
                                        "{\"messages\": [{\"role\": \"user\", \"content\":"
                                                + " \"Hi\"}]}"));

        assertTrue(message.contains("generates no text"), message);
    }

    @Test
    void modelThatDoesBothGeneratesToo() throws Exception {
        engine.says(SmallChat.answer("Hello"));

        assertEquals(
                200,
                serving(Pooling.MEAN, false)
                        .post("/completion", "{\"prompt\": \"a\"}")
                        .statusCode());
    }
}
