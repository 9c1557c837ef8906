package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.access.CacheAccessSettings;
import dev.varve.platform.http.access.CacheSharingPolicy;
import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.CorsAndHostOptions;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.intake.IngressLimits;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.sequence.CacheScope;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Which requests share a prefix cache, and the reports of answers about it. */
@Timeout(60)
class CacheScopeTest {
    private final ScriptedEngine engine = new ScriptedEngine().says(TestServer.ids("ok"));

    @AfterEach
    void stop() {
        engine.close();
    }

    private static HttpOptions options(CacheSharingPolicy rule, String... keys) {
        return new HttpOptions(
                ListenAddress.LOOPBACK,
                new ClientAccessSettings(
                                Set.of(keys),
                                ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                                CorsAndHostOptions.NONE)
                        .withCache(new CacheAccessSettings(rule, Optional.empty())),
                IngressLimits.DEFAULT);
    }

    private static void ask(TestServer server, String fields, String... headers) throws Exception {
        for (String[] route :
                List.of(
                        new String[] {"/v1/chat/completions", TestServer.chatBody(fields)},
                        new String[] {
                            "/v1/completions",
                            "{\"prompt\": \"a\"" + (fields.isEmpty() ? "" : ", " + fields) + "}"
                        })) {
            HttpResponse<String> response = server.post(route[0], route[1], headers);
            assertEquals(200, response.statusCode(), response.body());
        }
    }

    /** Of the chat and the text completion of each request, which must agree. */
    private CacheScope scope(int request) {
        CacheScope chat = engine.requests.get(2 * request).prompt().scope();
        assertEquals(chat, engine.requests.get(2 * request + 1).prompt().scope());
        return chat;
    }

    @Test
    void eachKeyHasItsOwnScope() throws Exception {
        try (TestServer server = TestServer.of(engine, options(CacheSharingPolicy.KEY, "a", "b"))) {
            ask(server, "", "x-api-key", "a");
            ask(server, "", "x-api-key", "b");
            ask(server, "", "x-api-key", "a");

            assertNotEquals(scope(0), scope(1));
            assertEquals(scope(0), scope(2));
            assertNotEquals(CacheScope.common(), scope(0));
        }
    }

    @Test
    void sharedScopeIsUsedOnRequest() throws Exception {
        try (TestServer server =
                TestServer.of(engine, options(CacheSharingPolicy.SHARED, "a", "b"))) {
            ask(server, "", "x-api-key", "a");
            ask(server, "", "x-api-key", "b");

            assertEquals(CacheScope.common(), scope(0));
            assertEquals(CacheScope.common(), scope(1));
        }
    }

    @ParameterizedTest
    @EnumSource(CacheSharingPolicy.class)
    void withoutKeysAllShareOneScope(CacheSharingPolicy rule) throws Exception {
        try (TestServer server = TestServer.of(engine, options(rule))) {
            ask(server, "\"cache\": true, \"cache_scope\": null");

            assertEquals(CacheScope.common(), scope(0));
        }
    }

    @Test
    void requestNarrowsItsScopeAndNeverLeavesIt() throws Exception {
        try (TestServer server = TestServer.of(engine, options(CacheSharingPolicy.KEY, "a", "b"))) {
            ask(server, "\"cache_scope\": \"team\"", "x-api-key", "a");
            ask(server, "\"cache_scope\": \"team\"", "x-api-key", "b");
            ask(server, "\"cache_scope\": \"other\"", "x-api-key", "a");
            ask(server, "\"cache_scope\": \"team\"", "x-api-key", "a");
            ask(server, "", "x-api-key", "a");

            assertNotEquals(scope(0), scope(1));
            assertNotEquals(scope(0), scope(2));
            assertEquals(scope(0), scope(3));
            assertNotEquals(scope(0), scope(4));
        }
    }

    @Test
    void requestMayDisableTheCache() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            ask(server, "\"cache\": false");
            ask(server, "\"cache\": false, \"cache_scope\": \"team\"");
            ask(server, "\"cache_scope\": \"none\"");

            assertEquals(CacheScope.none(), scope(0));
            assertEquals(CacheScope.none(), scope(1));
            assertTrue(scope(2).isCached());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"cache\": \"no\"            | cache",
                "\"cache\": 0                 | cache",
                "\"cache\": {}                | cache",
                "\"cache\": [false]           | cache",
                "\"cache_scope\": 5           | cache_scope",
                "\"cache_scope\": true        | cache_scope",
                "\"cache_scope\": [\"a\"]     | cache_scope",
                "\"cache_scope\": {\"a\": 1}  | cache_scope",
                "\"cache_scope\": \"\"        | cache_scope",
                "\"cache\": false, \"cache_scope\": 1 | cache_scope",
            })
    void otherTypesAreRefused(String fields, String param) throws Exception {
        assertRefused(fields, param);
    }

    @Test
    void scopeNameHasAtMost256Characters() throws Exception {
        assertRefused("\"cache_scope\": \"" + "x".repeat(257) + "\"", "cache_scope");
        assertRefused("\"cache_scope\": \"" + "x".repeat(1 << 20) + "\"", "cache_scope");
        try (TestServer server = TestServer.of(engine)) {
            ask(server, "\"cache_scope\": \"" + "x".repeat(256) + "\"");
        }
    }

    private void assertRefused(String fields, String param) throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            for (HttpResponse<String> response :
                    List.of(
                            server.post("/v1/chat/completions", TestServer.chatBody(fields)),
                            server.post(
                                    "/v1/completions", "{\"prompt\": \"a\", " + fields + "}"))) {
                assertEquals(400, response.statusCode(), response.body());
                assertEquals(param, TestServer.json(response).at("/error/param").stringValue());
                assertFalse(response.body().contains("xxx"), "the text of a field");
            }
            assertTrue(engine.requests.isEmpty());
        }
    }

    /** A name with unusual characters has no special meaning. */
    @ParameterizedTest
    @ValueSource(strings = {"\\u0000none", "\\u0000", "\\ud800", "\\n", "ü", "../../etc"})
    void anyTextIsAScopeName(String name) throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            ask(server, "\"cache_scope\": \"" + name + "\"");

            assertTrue(scope(0).isCached());
            assertNotEquals(CacheScope.common(), scope(0));
        }
    }

    @Test
    void responseReportsItsCacheResult() throws Exception {
        engine.finds(
                PrefixLookupResult.restored(
                        CacheSource.HOST, 5, new PrefixLookupResult.RestoreStats(4096, 2.5)));
        try (TestServer server = TestServer.of(engine)) {
            JsonNode answer = server.chat("");
            JsonNode streamed =
                    TestServer.events(
                                    server.post(
                                                    "/v1/completions",
                                                    "{\"prompt\": \"abcdef\", \"stream\": true,"
                                                            + " \"stream_options\":"
                                                            + " {\"include_usage\": true}}")
                                            .body())
                            .getLast();

            for (JsonNode each : List.of(answer, streamed)) {
                assertEquals(5, each.at("/usage/prompt_tokens_details/cached_tokens").intValue());
                assertEquals("host", each.at("/timings/cache_source").stringValue());
                assertTrue(each.at("/timings/cache_miss").isNull());
                assertEquals(4096, each.at("/timings/cache_restored_bytes").longValue());
                assertEquals(2.5, each.at("/timings/cache_restore_ms").doubleValue());
            }
        }
    }

    @Test
    void promptsThatDifferInTheBillingHeaderOnlyAreEqual() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            for (String value : List.of("cch=1;", "cch=23456; cc_version=2")) {
                HttpResponse<String> response =
                        server.post(
                                "/v1/chat/completions",
                                "{\"messages\": [{\"role\": \"system\", \"content\":"
                                        + " \"x-anthropic-billing-header: "
                                        + value
                                        + "\\nBe brief.\"}, {\"role\": \"user\", \"content\":"
                                        + " \"Hi\"}]}");
                assertEquals(200, response.statusCode(), response.body());
            }

            String prompt = TestServer.text(engine.requests.get(0).prompt().tokens());
            assertEquals(prompt, TestServer.text(engine.requests.get(1).prompt().tokens()));
            assertTrue(prompt.contains("x-anthropic-billing-header:\nBe brief."), prompt);
        }
    }
}
