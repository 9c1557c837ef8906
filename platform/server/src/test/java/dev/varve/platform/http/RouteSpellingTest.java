package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Answers of the server to methods, and to paths with other spellings. */
@Timeout(60)
class RouteSpellingTest {
    private static final Pattern ALLOW = Pattern.compile("\r\nAllow: ([^\r]*)\r\n");
    private static final String HEADERS = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";

    private final ScriptedEngine engine = new ScriptedEngine();

    @AfterEach
    void stop() {
        engine.close();
    }

    /**
     * A path is taken as it is written, but for slashes that are doubled or at the end: what only
     * means the same is another path.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/                           | 200 | /",
                "/?a                         | 200 | /",
                "http://localhost            | 200 | /",
                "/;x                         | 404 | other",
                "/health                     | 200 | /health",
                "/health?x=1                 | 200 | /health",
                "http://localhost/health     | 200 | /health",
                "/health/                    | 200 | /health",
                "//                          | 200 | /",
                "//health                    | 200 | /health",
                "/health//                   | 200 | /health",
                "/v1///health//              | 200 | /health",
                "/health%2F                  | 404 | other",
                "/v1%2Fhealth                | 404 | other",
                "http://localhost//health/   | 200 | /health",
                "http://localhost/v1/models  | 200 | /v1/models",
                "/health;x=1                 | 404 | other",
                "/%68ealth                   | 404 | other",
                "/health%20                  | 404 | other",
                "/Health                     | 404 | other",
                "/v1/health                  | 200 | /health",
                "/./health                   | 404 | other",
                "/v1/../health               | 404 | other",
                "/livez                      | 200 | /livez",
                "/props                      | 200 | /props",
                "/metrics/                   | 200 | /metrics",
                "/v1/models                  | 200 | /v1/models",
                "/models                     | 200 | /v1/models",
                "/v1/models?client_version=%zz | 200 | /v1/models",
                "/v1/models/gpt-4o           | 200 | other",
                "/v1/models/other            | 200 | other",
                "/v1//models                 | 200 | /v1/models",
                "/v1/models%2Frandom         | 404 | other",
                "/v1/models/a%2Fb            | 200 | other",
                "/v1/models/org%2frandom     | 200 | other",
                "/v1/models/org/random       | 200 | other",
                "/v1/models/random           | 200 | other",
                "/models/random              | 404 | other",
                "/v1/models/                 | 200 | /v1/models",
                "/v1/models/random/          | 200 | other",
                "/v1/models/%72andom         | 200 | other",
                "/v1/models/random;a=b       | 200 | other",
                "/v1/models;x/random         | 404 | other",
                "/v1/models/../models        | 404 | other",
                "/v1/models/../../health     | 404 | other",
                "/v1/models/../../livez      | 404 | other",
                "/v1/streams                 | 404 | /v1/streams",
                "/v1/streams/                | 404 | /v1/streams",
                "/page                       | 404 | /page",
                "/v1/chat/completions        | 405 | /v1/chat/completions",
                "/chat/completions           | 405 | /v1/chat/completions",
                "/v1/chat/completions/       | 405 | /v1/chat/completions",
                "/v1//chat//completions      | 405 | /v1/chat/completions",
                "/v1/responses               | 405 | /v1/responses",
                "/responses                  | 405 | /v1/responses",
                "/v1/responses/              | 405 | /v1/responses",
                "/v1/responses/resp_1        | 404 | other",
                "/v1/completions             | 405 | /v1/completions",
                "/completions                | 405 | /v1/completions",
                "/apply-template             | 405 | /apply-template",
                "/v1/apply-template          | 404 | other",
                "/tokenize                   | 405 | /tokenize",
                "/tokenize;a                 | 404 | other",
                "/tokenize%3Ba               | 404 | other",
                "/detokenize                 | 405 | /detokenize",
                "/WEB-INF/web.xml            | 404 | other",
                "/index.html                 | 404 | other"
            })
    void pathIsMatchedLiterally(String path, int status, String label) throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            // On one connection, so that the first request is counted before the second is read.
            String answer =
                    ask(
                            server,
                            "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\nGET /metrics",
                            "\r\n");

            assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
            assertTrue(
                    answer.contains(
                            "varve_requests_total{code=\""
                                    + status
                                    + "\",finish_reason=\"\",model=\"\",route=\""
                                    + label
                                    + "\"} 1.0\n"),
                    answer);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/../health",
        "/%2e/health",
        "/v1/models/%2e%2e/health",
        "/v1/models/a%252Fb",
        "//%2e%2e//health",
        "/health/..;/v1/models",
        "/tokenize%00",
        "/%zz",
        "/a%5Cb",
        "health",
        "*"
    })
    void ambiguousPathIsRefusedBeforeRouting(String path) throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            String answer = ask(server, "GET " + path, "\r\n");

            assertTrue(answer.startsWith("HTTP/1.1 400"), answer);
            assertTrue(answer.contains("the request is not valid HTTP"), answer);
            assertTrue(!server.get("/metrics").body().contains("code=\"400\""), "it was counted");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "HEAD /health                     | 200 | ''",
                "HEAD /v1/models/random           | 200 | ''",
                "HEAD /tokenize                   | 405 | POST, OPTIONS",
                "HEAD /nothing                    | 404 | ''",
                "get /health                      | 405 | GET, HEAD, OPTIONS",
                "PUT /                            | 405 | GET, HEAD, OPTIONS",
                "POST /health                     | 405 | GET, HEAD, OPTIONS",
                "POST /v1/models                  | 405 | GET, HEAD, OPTIONS",
                "DELETE /v1/models/../../health   | 404 | ''",
                "DELETE //health/                 | 405 | GET, HEAD, OPTIONS",
                "TRACE /metrics                   | 405 | GET, HEAD, OPTIONS",
                "PATCH /completions               | 405 | POST, OPTIONS",
                "DELETE /v1/chat/completions      | 405 | POST, OPTIONS",
                "DELETE /nothing                  | 404 | ''",
                "POST /v1/tokenize                | 404 | ''",
                "POST /tokenize/                  | 400 | ''",
                "POST /tokenize                   | 400 | ''",
                "OPTIONS /health                  | 204 | ''",
                "OPTIONS /detokenize              | 204 | ''",
                "OPTIONS /nothing                 | 204 | ''",
                "OPTIONS /tokenize%3Ba            | 204 | ''",
                "CONNECT /health                  | 400 | ''"
            })
    void routeAcceptsItsMethodsAndListsThem(String request, int status, String allow)
            throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            String end = request.startsWith("POST") ? "Content-Length: 2\r\n\r\n{}" : "\r\n";

            String answer = ask(server, request, end);

            assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
            Matcher header = ALLOW.matcher(answer);
            assertEquals(allow, header.find() ? header.group(1) : "", answer);
            if (request.startsWith("HEAD")) {
                assertTrue(answer.endsWith("\r\n\r\n"), answer);
            }
        }
    }

    /** Only a path whose route is open is open. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET /health                     | 200",
                "GET /livez                      | 200",
                "DELETE /livez                   | 405",
                "GET /health/                    | 200",
                "GET //health                    | 200",
                "GET /health//                   | 200",
                "GET /health%2F                  | 401",
                "GET /health/%2F                 | 401",
                "GET /health%2F..%2Fv1%2Fmodels  | 401",
                "GET //v1//models                | 401",
                "GET /v1/models/                 | 401",
                "GET /v1/models/x%2F..%2F..%2F..%2Fhealth | 401",
                "GET http://localhost//v1/models | 401",
                "GET /page//..//v1/models        | 401",
                "GET /page/..%2Fv1%2Fmodels      | 404",
                "GET //metrics//                 | 401",
                "GET /%2Fhealth                  | 401",
                "POST //tokenize//               | 401",
                "GET //cache                     | 401",
                "POST /cache//clear/             | 401",
                "GET /requests/                  | 401",
                "GET /%68ealth                   | 401",
                "GET /health;x                   | 401",
                "GET /v1/../health               | 401",
                "GET /v1/models/../../health     | 401",
                "GET /metrics                    | 401",
                "GET /nothing                    | 401",
                "POST /tokenize                  | 401",
                "OPTIONS /v1/models              | 204",
                "OPTIONS /nothing                | 204"
            })
    void keyCheckUsesTheMatchedPath(String request, int status) throws Exception {
        try (TestServer server = TestServer.of(engine, TestServer.withKey("secret"))) {
            String answer = ask(server, request, "Content-Length: 0\r\n\r\n");

            assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
        }
    }

    @Test
    void unknownPathIsNamedUnlessItIsLong() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            String named = ask(server, "GET /nothing", "\r\n");
            String hidden = ask(server, "GET /" + "x".repeat(250), "\r\n");

            assertTrue(named.contains("\"unknown endpoint GET /nothing\""), named);
            assertTrue(hidden.contains("\"unknown endpoint GET …\""), hidden);
        }
    }

    @Test
    void wrongMethodIsReportedWithTheFullRoute() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            String answer = ask(server, "GET /chat/completions", "\r\n");

            assertTrue(answer.contains("\"/v1/chat/completions does not accept GET\""), answer);
        }
    }

    private static String ask(TestServer server, String request, String end) throws Exception {
        try (RawClient client = RawClient.of(server)) {
            return client.send(request + HEADERS + end).rest();
        }
    }
}
