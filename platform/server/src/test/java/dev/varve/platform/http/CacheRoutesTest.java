package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.http.access.CacheAccessSettings;
import dev.varve.platform.http.access.CacheSharingPolicy;
import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.CorsAndHostOptions;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.intake.IngressLimits;
import dev.varve.platform.prefix.CachedPrefixInfo;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.testkit.MetricsText;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** {@code GET /cache} and {@code POST /cache/clear}: what they say, and to whom. */
@Timeout(60)
class CacheRoutesTest {
    private static final CorsAndHostOptions ANY_PAGE =
            new CorsAndHostOptions(Set.of("*"), Set.of("*"));

    private final ScriptedEngine engine = new ScriptedEngine();

    @AfterEach
    void stop() {
        engine.close();
    }

    private static HttpOptions options(
            CorsAndHostOptions corsAndHosts, String operator, String... keys) {
        return new HttpOptions(
                ListenAddress.LOOPBACK,
                new ClientAccessSettings(
                                Set.of(keys),
                                ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                                corsAndHosts)
                        .withCache(
                                new CacheAccessSettings(
                                        CacheSharingPolicy.KEY,
                                        Optional.of(operator).filter(key -> !key.isEmpty()))),
                IngressLimits.DEFAULT);
    }

    private static CachedPrefixInfo entry(String scope, int tokens) {
        return new CachedPrefixInfo(
                new CacheScope(scope), tokens, 10L * tokens, 3, Duration.ofMillis(1500));
    }

    private static PrefixCacheStatus status() {
        return new PrefixCacheStatus(
                new PrefixCacheStatus.HostTierStatus(1L << 33, 12_345, 2, 768),
                PrefixCacheStatus.NONE.counts());
    }

    @Test
    void entriesAreSortedAndHideScopeNames() throws Exception {
        engine.keeps(status(), entry("secret", 512), entry("other", 256), entry("secret", 1024));
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> response = server.get("/cache");
            JsonNode answer = TestServer.json(response);

            assertEquals(200, response.statusCode());
            assertEquals(3, answer.get("total").intValue());
            assertEquals(100, answer.get("limit").intValue());
            JsonNode first = answer.get("entries").get(0);
            assertEquals(512, first.get("tokens").intValue());
            assertEquals(5120, first.get("bytes").longValue());
            assertEquals(3, first.get("uses").intValue());
            assertEquals(1.5, first.get("idle_seconds").doubleValue());
            List<String> scopes = new ArrayList<>();
            answer.get("entries").forEach(each -> scopes.add(each.get("scope").stringValue()));
            assertEquals(scopes.get(0), scopes.get(2));
            assertFalse(scopes.get(0).equals(scopes.get(1)), scopes.toString());
            assertTrue(scopes.getFirst().matches("[0-9a-f]{12}"), scopes.toString());
            assertFalse(response.body().contains("secret"), response.body());
        }
    }

    @ParameterizedTest
    @CsvSource({"'', 100", "?limit=1, 1", "?limit=1000, 150", "?a=b&limit=7&limit=9, 7"})
    void entryLimitIsRespected(String query, int shown) throws Exception {
        engine.keeps(
                status(),
                Stream.generate(() -> entry("s", 256)).limit(150).toArray(CachedPrefixInfo[]::new));
        try (TestServer server = TestServer.of(engine)) {
            JsonNode answer = TestServer.json(server.get("/cache" + query));

            assertEquals(shown, answer.get("entries").size());
            assertEquals(150, answer.get("total").intValue());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "1001",
                "-1",
                "",
                "many",
                "1e2",
                "%31",
                "99999999999999999999",
                "1%20",
                "%zz"
            })
    void limitIsAnIntegerInBounds(String limit) throws IOException {
        try (TestServer server = TestServer.of(engine);
                RawClient client = RawClient.of(server)) {
            String answer =
                    client.send(
                                    "GET /cache?limit="
                                            + limit
                                            + " HTTP/1.1\r\nHost: localhost\r\n"
                                            + "Connection: close\r\n\r\n")
                            .rest();

            assertTrue(answer.startsWith("HTTP/1.1 400"), answer);
        }
    }

    @Test
    void clearingRemovesEntriesAndReportsIt() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> response = server.post("/cache/clear", "");

            assertEquals(200, response.statusCode());
            assertEquals("{\"status\":\"ok\"}", response.body());
            assertEquals(1, engine.clears.get());
        }
    }

    @Test
    void failedClearIsInTheResponse() throws Exception {
        engine.hidesItsCache(
                new VarveException(VarveException.Kind.UNREADABLE_FILE, "/cache is not there"));
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> response = server.post("/cache/clear", "");

            assertEquals(500, response.statusCode());
            assertTrue(response.body().contains("/cache is not there"), response.body());
        }
    }

    @Test
    void onlyPostClears() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            for (String method : List.of("GET", "HEAD", "PUT", "DELETE")) {
                assertEquals(405, server.method(method, "/cache/clear").statusCode(), method);
            }
            assertEquals(405, server.post("/cache", "").statusCode());
            assertEquals(0, engine.clears.get());
        }
    }

    @Test
    void failedEngineIsReported() throws Exception {
        engine.hidesItsCache(new VarveException(VarveException.Kind.UNAVAILABLE, "broken"));
        try (TestServer server = TestServer.of(engine)) {
            assertEquals(503, server.get("/cache").statusCode());
        }
    }

    @Test
    void loadingServerHasNoCacheYet() throws Exception {
        try (TestServer server = TestServer.loading(HttpOptions.loopback())) {
            assertEquals(503, server.get("/cache").statusCode());
            assertEquals(503, server.post("/cache/clear", "").statusCode());
        }
    }

    /**
     * Keys of the server, the key of the request, and what becomes of it. {@code -} stands for
     * none.
     */
    @ParameterizedTest
    @CsvSource({
        // Without any key programs of this machine may.
        "-, -, -, 200",
        "-, -, any, 200",
        // The only API key.
        "-, one, one, 200",
        "-, one, -, 401",
        "-, one, two, 401",
        // Several API keys say nothing of who runs the server.
        "-, one two, one, 403",
        "-, one two, -, 401",
        "-, one two, three, 401",
        // The operator's key alone.
        "op, -, op, 200",
        "op, -, -, 401",
        "op, -, one, 401",
        "op, one, op, 200",
        "op, one, one, 403",
        "op, one two, op, 200",
        "op, one two, two, 403",
        "op, one, -, 401",
        "op, one, OP, 401",
        "op, one, o, 401",
    })
    void onlyTheOperatorHasAccess(String operator, String keys, String given, int status)
            throws Exception {
        HttpOptions options =
                options(
                        CorsAndHostOptions.NONE,
                        operator.replace("-", ""),
                        Stream.of(keys.split(" "))
                                .filter(key -> !key.equals("-"))
                                .toArray(String[]::new));
        String[] headers =
                given.equals("-")
                        ? new String[0]
                        : new String[] {"Authorization", "Bearer " + given};
        try (TestServer server = TestServer.of(engine, options)) {
            assertEquals(status, server.get("/cache", headers).statusCode());
            assertEquals(status, server.post("/cache/clear", "", headers).statusCode());
            assertEquals(status == 200 ? 1 : 0, engine.clears.get());
        }
    }

    @Test
    void operatorKeyOpensNothingElse() throws Exception {
        try (TestServer server =
                TestServer.of(engine, options(CorsAndHostOptions.NONE, "op", "one"))) {
            assertEquals(401, server.get("/props", "Authorization", "Bearer op").statusCode());
            assertEquals(200, server.get("/props", "Authorization", "Bearer one").statusCode());
        }
    }

    /** Not even one that may call everything else. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host: localhost\r\nOrigin: http://evil.example",
                "Host: localhost\r\nOrigin: null",
                "Host: localhost\r\nSec-Fetch-Site: cross-site",
                "Host: evil.example\r\nOrigin: http://evil.example",
                "Host: evil.example",
                "Host: localhost\r\nX-Forwarded-For: 10.0.0.1",
                "Host: localhost\r\nForwarded: for=10.0.0.1",
            })
    void foreignPageOrProxyIsRefused(String headers) throws IOException {
        for (CorsAndHostOptions corsAndHosts : List.of(CorsAndHostOptions.NONE, ANY_PAGE)) {
            assertEquals(403, clear(options(corsAndHosts, ""), headers), corsAndHosts.toString());
        }
        assertEquals(0, engine.clears.get());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Host: localhost", "Host: 127.0.0.1", "Host: [::1]"})
    void ownPagesHaveAccess(String host) throws IOException {
        String origin = "\r\nOrigin: http://" + host.substring("Host: ".length());

        assertEquals(200, clear(options(CorsAndHostOptions.NONE, ""), host + origin));
    }

    /** A page cannot have the key unless somebody typed it there. */
    @Test
    void keyReplacesTheOriginRules() throws IOException {
        String headers = "Host: name.example\r\nOrigin: https://page.example\r\nX-Api-Key: op";

        assertEquals(200, clear(options(CorsAndHostOptions.NONE, "op", "one"), headers));
        // If clients need no key, the rules for pages apply to every route.
        assertEquals(403, clear(options(CorsAndHostOptions.NONE, "op"), headers));
        assertEquals(200, clear(options(ANY_PAGE, "op"), headers));
    }

    private int clear(HttpOptions options, String headers) throws IOException {
        try (TestServer server = TestServer.of(engine, options);
                RawClient client = RawClient.of(server)) {
            String answer =
                    client.send(
                                    "POST /cache/clear HTTP/1.1\r\n"
                                            + headers
                                            + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                            .rest();
            return Integer.parseInt(answer.substring(9, 12));
        }
    }

    @Test
    void propsShowTheTiersAndTheirSharing() throws Exception {
        engine.keeps(status());
        for (CacheSharingPolicy rule : CacheSharingPolicy.values()) {
            HttpOptions options =
                    new HttpOptions(
                            ListenAddress.LOOPBACK,
                            ClientAccessSettings.LOCAL.withCache(
                                    new CacheAccessSettings(rule, Optional.empty())),
                            IngressLimits.DEFAULT);
            try (TestServer server = TestServer.of(engine, options)) {
                assertEquals(
                        "{\"limit_bytes\":8589934592,\"used_bytes\":12345,\"entries\":2,"
                                + "\"block_tokens\":768,\"scope\":\""
                                + rule.word()
                                + "\"}",
                        TestServer.json(server.get("/props"))
                                .at("/runtime/prefix_cache")
                                .toString());
            }
        }
    }

    @Test
    void everyMissReasonIsInTheMetricsFromTheStart() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            String metrics = server.get("/metrics").body();

            for (String reason :
                    List.of("unknown", "before_checkpoint", "evicted", "failed", "disabled")) {
                assertEquals(
                        List.of(0.0),
                        MetricsText.parse(metrics)
                                .samples("varve_prefix_cache_misses_total", "reason", reason)
                                .stream()
                                .map(MetricsText.Sample::value)
                                .toList(),
                        metrics);
            }
        }
    }
}
