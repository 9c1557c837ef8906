package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.http.model.DecodedTextLimit;
import dev.varve.platform.http.model.ModelDescription;
import dev.varve.platform.http.model.ModelTextProcessing;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.intake.IngressLimits;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Bodies that are larger than what they ask for. */
@Timeout(120)
class LargeBodyTest {
    private static final String LONG_WORD = "w".repeat(128);

    private final ScriptedEngine engine = new ScriptedEngine();

    @AfterEach
    void stop() {
        engine.close();
    }

    @Test
    void farTooLongPromptIsRefusedBeforeTokenization() throws Exception {
        String prompt = "a ".repeat(100_000);
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> text =
                    server.post("/v1/completions", "{\"prompt\": \"" + prompt + "\"}");
            HttpResponse<String> chat =
                    server.post(
                            "/v1/chat/completions",
                            "{\"max_tokens\": 7, \"messages\": [{\"role\": \"user\", \"content\":"
                                    + " \""
                                    + prompt
                                    + "\"}]}");

            assertOverflow(
                    "maximum context length is 100 tokens. However, you requested 217 tokens"
                            + " (201 in the messages, 16 in the completion) at least.",
                    text);
            assertOverflow("you requested 202 tokens (201 in the messages, 1 in", chat);
            assertTrue(engine.requests.isEmpty());
        }
    }

    private static void assertOverflow(String message, HttpResponse<String> answer) {
        assertEquals(400, answer.statusCode(), answer.body());
        assertEquals(
                "context_length_exceeded", TestServer.json(answer).at("/error/code").stringValue());
        assertTrue(answer.body().contains(message), answer.body());
    }

    @Test
    void tokenCountingHasALimitToo() throws Exception {
        int most = 1 << 20;
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> whole = server.post("/tokenize", numbers(most));
            HttpResponse<String> more = server.post("/tokenize", numbers(most + 1));

            assertEquals(most, TestServer.json(whole).get("tokens").size());
            assertEquals(400, more.statusCode());
            assertEquals("content", TestServer.json(more).at("/error/param").stringValue());
            assertTrue(more.body().contains("at most " + most + " tokens"), more.body());
        }
    }

    @Test
    void bodyUsesNoMemoryDuringGeneration() throws Exception {
        CountDownLatch begins = new CountDownLatch(1);
        engine.says(TestServer.ids("ok")).waitsFor(begins);
        HttpOptions options =
                HttpOptions.loopback()
                        .withLimits(
                                IngressLimits.DEFAULT
                                        .withBodyMemoryBytes(256 << 10)
                                        .withMemoryTimeout(Duration.ofSeconds(5)));
        String spaces = " ".repeat(600_000);
        String body = "{\"prompt\": \"a\"" + spaces + "}";
        try (TestServer server = TestServer.of(engine, options);
                RawClient waiting = RawClient.of(server)) {
            waiting.beginPost("/v1/completions", body.length(), body);
            assertTrue(engine.submitted.await(30, TimeUnit.SECONDS), "it is not generated");

            HttpResponse<String> other =
                    server.post("/tokenize", "{\"content\": \"a\"" + spaces + "}");
            begins.countDown();

            assertEquals(200, other.statusCode(), other.body());
            assertEquals("HTTP/1.1 200 OK", waiting.statusLine());
        }
    }

    @Test
    void tooManyIdsAreRefusedWithTheirNumber() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> answer =
                    server.post("/v1/completions", "{\"prompt\": [" + "1,".repeat(9_000) + "1]}");

            assertOverflow("you requested 217 tokens (201 in the messages, 16 in the", answer);
            assertTrue(engine.requests.isEmpty());
        }
    }

    @Test
    void textOfIdsIsLimited() throws Exception {
        engine.says(256).hasContext(1 << 20);
        int most = DecodedTextLimit.BYTES / LONG_WORD.length();
        try (TestServer server = longWords()) {
            HttpResponse<String> whole = server.post("/detokenize", longWords("tokens", most));
            HttpResponse<String> more = server.post("/detokenize", longWords("tokens", most + 1));
            HttpResponse<String> echo =
                    server.post(
                            "/v1/completions",
                            longWords("n\": 2, \"echo\": true, \"prompt", most / 2 + 1));
            HttpResponse<String> silent =
                    server.post("/v1/completions", longWords("prompt", most + 1));

            assertEquals(
                    DecodedTextLimit.BYTES,
                    TestServer.json(whole).get("content").stringValue().length());
            assertRefused("tokens", more);
            assertRefused("prompt", echo);
            assertEquals(200, silent.statusCode(), silent.body());
        }
    }

    private static void assertRefused(String field, HttpResponse<String> answer) {
        assertEquals(400, answer.statusCode());
        assertEquals(field, TestServer.json(answer).at("/error/param").stringValue());
        assertTrue(
                answer.body().contains("at most " + DecodedTextLimit.BYTES + " bytes of text"),
                answer.body());
    }

    @Test
    void detokenizedIdsAreLimitedLikeCountedTokens() throws Exception {
        int most = 1 << 20;
        try (TestServer server = longWords()) {
            HttpResponse<String> answer =
                    server.post("/detokenize", "{\"tokens\": [" + "1,".repeat(most) + "1]}");

            assertEquals(400, answer.statusCode());
            assertTrue(
                    answer.body().contains("at most " + most + " token ids, found " + (most + 1)),
                    answer.body());
        }
    }

    private static String longWords(String field, int count) {
        return "{\"" + field + "\": [" + "256,".repeat(count - 1) + "256]}";
    }

    /** The id behind those of all bytes is a long word. */
    private TestServer longWords() {
        Tokenizer tokenizer = TestTokenizers.ofBytesAndWords(List.of(LONG_WORD));
        return TestServer.of(
                new ServedModel(
                        new ModelDescription("words", "words", 2048, Map.of()),
                        engine,
                        new ModelTextProcessing(
                                tokenizer,
                                Optional.empty(),
                                ResponseSyntax.plain(tokenizer),
                                ReasoningDefaults.none())));
    }

    /** Each digit is a token. */
    private static String numbers(int count) {
        return "{\"content\": \"" + "7".repeat(count) + "\"}";
    }

    @Test
    void bodiesShareAMemoryBudgetExceptSmallOnes() throws Exception {
        engine.says(TestServer.ids("ok"));
        HttpOptions options =
                HttpOptions.loopback()
                        .withLimits(
                                IngressLimits.DEFAULT
                                        .withBodyMemoryBytes(256 << 10)
                                        .withMemoryTimeout(Duration.ofSeconds(1)));
        String large = "{\"content\": \"" + "7".repeat(600_000) + "\"}";
        try (TestServer server = TestServer.of(engine, options);
                RawClient holder = RawClient.of(server)) {
            holder.beginPost("/tokenize", large.length(), large.substring(0, 500_000));
            // It is not known when the server has read all that; each small answer takes a while.
            HttpResponse<String> refused = server.post("/tokenize", large);
            for (int tries = 0; tries < 100 && refused.statusCode() == 200; tries++) {
                refused = server.post("/tokenize", large);
            }
            HttpResponse<String> small =
                    server.post("/v1/chat/completions", TestServer.chatBody(""));
            String held = holder.send(large.substring(500_000)).statusLine();
            HttpResponse<String> later = server.post("/tokenize", large);

            assertEquals(503, refused.statusCode());
            assertEquals("server_busy", TestServer.json(refused).at("/error/code").stringValue());
            assertTrue(refused.headers().firstValue("Retry-After").isPresent());
            assertEquals(200, small.statusCode());
            assertEquals("HTTP/1.1 200 OK", held);
            assertEquals(200, later.statusCode(), "the memory was not given back");
        }
    }
}
