package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.CorsAndHostOptions;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.intake.IngressLimits;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server behind a proxy that passes on paths below one of its own. */
@Timeout(60)
class BasePathTest {
    private static final String CHAT =
            "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}], \"stream\": true}";
    private static final Pattern ASSET = Pattern.compile("(?:src|href)=\"(page/[^\"]+)\"");

    private final ScriptedEngine engine =
            new ScriptedEngine().hasContext(1000).says(TestServer.ids("ok"));
    private final TestServer server =
            TestServer.of(
                    engine,
                    new HttpOptions(
                            new ListenAddress("127.0.0.1", 0, "/llm/varve"),
                            new ClientAccessSettings(
                                    Set.of("k"),
                                    ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                                    new CorsAndHostOptions(Set.of(), Set.of())),
                            IngressLimits.DEFAULT));
    private final URI root = server.server.uri().resolve("/");

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    private HttpResponse<String> send(String path, String body, String... headers)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(root.resolve(path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        if (!body.isEmpty()) {
            request.POST(HttpRequest.BodyPublishers.ofString(body));
        }
        return HttpClient.newHttpClient()
                .send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> asUser(String path, String body, String... more) throws Exception {
        String[] headers = new String[more.length + 2];
        headers[0] = "Authorization";
        headers[1] = "Bearer k";
        System.arraycopy(more, 0, headers, 2, more.length);
        return send(path, body, headers);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/llm/varve", ""})
    void routesWorkBelowItAndWithoutIt(String base) throws Exception {
        assertEquals(200, send(base + "/health", "").statusCode());
        assertEquals(200, asUser(base + "/v1/models", "").statusCode());
        assertEquals(200, asUser(base + "/api/tags", "").statusCode());
        assertEquals(200, asUser(base + "/", "").statusCode());
        assertEquals(200, asUser(base + "/v1/models/random", "").statusCode());
        HttpResponse<String> answer = asUser(base + "/v1/chat/completions", CHAT);
        assertEquals(200, answer.statusCode());
        assertTrue(answer.body().contains("[DONE]"), answer.body());
    }

    @Test
    void keysAreRequiredBelowItToo() throws Exception {
        assertEquals(401, send("/llm/varve/v1/models", "").statusCode());
        assertEquals(401, send("/llm/varve/v1/chat/completions", CHAT).statusCode());
        assertEquals(401, send("/llm/varve/status", "").statusCode());
    }

    @ParameterizedTest
    @CsvSource({
        "/llm/varvex/v1/models",
        "/llm/v1/models",
        "/llm/varve/llm/varve/v1/models",
        "/v1/llm/varve/models"
    })
    void otherPathsAreUnknown(String path) throws Exception {
        assertEquals(404, asUser(path, "").statusCode());
    }

    @Test
    void serverFactsNameTheWholePath() throws Exception {
        assertEquals("/llm/varve", server.server.uri().getPath());
        HttpResponse<String> facts = asUser("/llm/varve", "");
        assertEquals(
                "/llm/varve/v1/chat/completions", TestServer.json(facts).get("api").stringValue());
    }

    @Test
    void pageAndItsFilesAreServedBelowIt() throws Exception {
        HttpResponse<String> first = send("/llm/varve/", "", "Accept", "text/html");
        HttpResponse<String> withoutSlash = send("/llm/varve", "", "Accept", "text/html");

        assertEquals(200, first.statusCode());
        assertEquals(308, withoutSlash.statusCode());
        assertEquals("/llm/varve/", withoutSlash.headers().firstValue("Location").orElseThrow());
        Matcher asset = ASSET.matcher(first.body());
        int assets = 0;
        while (asset.find()) {
            String path = first.uri().resolve(asset.group(1)).getPath();
            assertTrue(path.startsWith("/llm/varve/page/"), path);
            assertEquals(200, send(path, "").statusCode(), path);
            assets++;
        }
        assertTrue(assets > 10, "assets: " + assets);
    }

    @Test
    void streamIsResumedBelowIt() throws Exception {
        HttpResponse<String> stream =
                asUser("/llm/varve/v1/chat/completions", CHAT, "x-varve-resumable", "1");
        String id = stream.headers().firstValue("x-varve-stream").orElseThrow();

        HttpResponse<String> again = asUser("/llm/varve/v1/streams/" + id + "?after=1", "");

        assertEquals(200, again.statusCode(), again.body());
        assertTrue(again.body().contains("[DONE]"), again.body());
    }

    @ParameterizedTest
    @ValueSource(strings = {"varve", "/varve/", "/a//b", "/a/../b", "/..", "/a%2Fb", "/a b", "/é"})
    void invalidBasePathIsRefused(String path) {
        VarveException error =
                assertThrows(VarveException.class, () -> new ListenAddress("127.0.0.1", 0, path));

        assertEquals(VarveException.Kind.INVALID_REQUEST, error.kind());
        assertTrue(error.getMessage().contains("found " + path), error.getMessage());
    }
}
