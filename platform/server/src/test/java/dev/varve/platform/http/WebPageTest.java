package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.page.WebUiMode;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/** The page as it is sent: to whom, with which headers, and how small. */
@Timeout(60)
class WebPageTest {
    private static final String BROWSER =
            "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    private static final Pattern FILE = Pattern.compile("(?:href|src)=\"(page/[^\"]+)\"");

    private final ScriptedEngine engine = new ScriptedEngine();

    @AfterEach
    void stop() {
        engine.close();
    }

    @Test
    void browsersGetThePageAndProgramsTheFacts() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> page = server.get("/", "Accept", BROWSER);
            HttpResponse<String> facts = server.get("/", "Accept", "application/json, */*");

            assertEquals(200, page.statusCode());
            assertEquals("text/html;charset=utf-8", type(page));
            assertTrue(page.body().startsWith("<!doctype html>"), page.body());
            assertEquals("varve", TestServer.json(facts).path("name").stringValue());
            assertEquals(List.of("Accept", "Accept-Encoding"), page.headers().allValues("Vary"));
            assertEquals(List.of("Accept"), facts.headers().allValues("Vary"));
            assertEquals("varve", TestServer.json(server.get("/")).path("name").stringValue());
        }
    }

    /** Chromium writes an error to its console where it ignores the header. */
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, '', true",
        "localhost, '', true",
        "[::1], '', true",
        "gpu-box, '', false",
        "192.168.1.7, '', false",
        "llm.example, 'X-Forwarded-Proto: https', true"
    })
    void openersAreIsolated(String host, String header, boolean parted) throws Exception {
        try (TestServer server = TestServer.of(engine, TestServer.withKey("secret"));
                RawClient client = RawClient.of(server)) {
            String answer =
                    client.send(
                                    "HEAD / HTTP/1.1\r\nHost: "
                                            + host
                                            + ":8080\r\nAccept: text/html\r\n"
                                            + (header.isEmpty() ? "" : header + "\r\n")
                                            + "Connection: close\r\n\r\n")
                            .rest();

            assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
            assertEquals(
                    parted, answer.contains("Cross-Origin-Opener-Policy: same-origin"), answer);
        }
    }

    @Test
    void contentPolicyAllowsOnlyServerContent() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> page = server.get("/", "Accept", BROWSER);

            String policy = header(page, "Content-Security-Policy");
            for (String rule :
                    List.of(
                            "default-src 'none'",
                            "script-src 'self'",
                            "style-src 'self'",
                            "font-src 'self'",
                            "connect-src 'self'",
                            "base-uri 'none'",
                            "form-action 'none'",
                            "frame-ancestors 'none'",
                            "require-trusted-types-for 'script'")) {
                assertTrue(policy.contains(rule), policy);
            }
            assertFalse(policy.contains("unsafe"), policy);
            assertEquals("nosniff", header(page, "X-Content-Type-Options"));
            assertEquals("no-referrer", header(page, "Referrer-Policy"));
            assertFalse(page.body().contains("style="), page.body());
            assertFalse(page.body().matches("(?s).*<script(?![^>]*src=).*"), page.body());
        }
    }

    /** A worker does not inherit the policy of the page, but has that of its own file. */
    @ParameterizedTest
    @CsvSource({
        "lib/pdf-worker.js, text/javascript",
        "lib/katex.js, text/javascript",
        "lib/languages/java.js, text/javascript",
        "lib/fonts/KaTeX_Main-Regular.woff2, font/woff2",
        "lib/katex-license.txt, text/plain"
    })
    void librariesAreServedOnDemandAndMayLoadNothing(String name, String type) throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            List<String> first = files(server.get("/", "Accept", BROWSER).body());
            String folder = first.getFirst().substring(0, first.getFirst().indexOf('/', 5) + 1);

            HttpResponse<String> file = server.get("/" + folder + name);

            assertEquals(200, file.statusCode());
            assertTrue(type(file).startsWith(type), type(file));
            assertEquals("default-src 'none'", header(file, "Content-Security-Policy"));
            assertFalse(first.contains(folder + name), "part of the first load");
        }
    }

    @Test
    void cachedFilesAreNotSentAgain() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> page = server.get("/", "Accept", BROWSER);
            String path = "/" + files(page.body()).getFirst();
            HttpResponse<String> file = server.get(path);

            assertEquals("no-cache", header(page, "Cache-Control"));
            assertEquals("public, max-age=31536000, immutable", header(file, "Cache-Control"));
            HttpResponse<String> again =
                    server.get("/", "Accept", BROWSER, "If-None-Match", header(page, "ETag"));
            assertEquals(304, again.statusCode());
            assertEquals("", again.body());
            assertEquals(304, server.get(path, "If-None-Match", header(file, "ETag")).statusCode());
            assertEquals(200, server.get(path, "If-None-Match", "\"other\"").statusCode());
        }
    }

    @Test
    void allFilesOfTheFirstLoadExistAndAreSmall() throws Exception {
        try (TestServer server = TestServer.of(engine);
                HttpClient client = HttpClient.newHttpClient()) {
            int sum = 0;
            List<String> files = files(server.get("/", "Accept", BROWSER).body());
            for (String file : files) {
                HttpResponse<byte[]> packed =
                        client.send(
                                HttpRequest.newBuilder(URI.create(server.server.uri() + "/" + file))
                                        .header("Accept-Encoding", "br, gzip;q=0.8")
                                        .build(),
                                HttpResponse.BodyHandlers.ofByteArray());

                assertEquals(200, packed.statusCode(), file);
                assertEquals(
                        "gzip", packed.headers().firstValue("Content-Encoding").orElse(""), file);
                try (GZIPInputStream gzip =
                        new GZIPInputStream(new ByteArrayInputStream(packed.body()))) {
                    assertEquals(
                            server.get("/" + file).body(),
                            new String(gzip.readAllBytes(), StandardCharsets.UTF_8),
                            file);
                }
                sum += packed.body().length;
            }
            assertTrue(files.size() > 10, files::toString);
            assertTrue(sum < 100_000, "bytes " + sum);
        }
    }

    @Test
    void headReportsWhatGetWouldSend() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> get = server.get("/", "Accept", BROWSER);
            HttpResponse<String> head = server.method("HEAD", "/", "Accept", BROWSER);

            assertEquals(200, head.statusCode());
            assertEquals("", head.body());
            assertEquals(header(get, "Content-Length"), header(head, "Content-Length"));
            assertEquals(header(get, "ETag"), header(head, "ETag"));
            assertEquals(405, server.post("/", "", "Accept", BROWSER).statusCode());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/page/",
                "/page/0123456789abcdef/page.js",
                "/page/MARK/",
                "/page/MARK/files.txt",
                "/page/MARK/index.html",
                "/page/MARK/WebUiHandler.class",
                "/page/MARK/../page.js",
                "/page/MARK/chat/..%2fpage.js",
                "/page/MARK%2Fpage.js"
            })
    void unknownPageFileIs404(String path) throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            String first = files(server.get("/", "Accept", BROWSER).body()).getFirst();
            String mark = first.split("/")[1];
            String answer =
                    RawClient.of(server)
                            .send(
                                    "GET "
                                            + path.replace("MARK", mark)
                                            + " HTTP/1.1\r\nHost: localhost\r\n"
                                            + "Connection: close\r\n\r\n")
                            .rest();

            assertTrue(answer.matches("(?s)HTTP/1.1 40[04].*"), answer);
        }
    }

    @Test
    void pageNeedsNoKeyAndReportsThatTheApiDoes() throws Exception {
        try (TestServer server = TestServer.of(engine, TestServer.withKey("secret"))) {
            HttpResponse<String> page = server.get("/", "Accept", BROWSER);

            assertEquals(200, page.statusCode());
            assertTrue(page.body().contains("data-key=\"needed\""), page.body());
            assertEquals(200, server.get("/" + files(page.body()).getFirst()).statusCode());
            assertEquals(401, server.get("/").statusCode());
            assertEquals(401, server.get("/v1/models").statusCode());
        }
        try (TestServer open = TestServer.of(engine)) {
            assertTrue(open.get("/", "Accept", BROWSER).body().contains("data-key=\"none\""));
        }
    }

    /**
     * A browser that follows a link gets the page. The server refuses a request that frames the
     * page, loads it as a script, or names another host.
     */
    @ParameterizedTest
    @CsvSource({
        "localhost, cross-site, navigate, document, 200",
        "localhost, none, navigate, document, 200",
        "localhost, cross-site, navigate, iframe, 403",
        "localhost, cross-site, no-cors, script, 403",
        "evil.example, same-origin, navigate, document, 403",
        "evil.example, cross-site, navigate, document, 403"
    })
    void otherSitesMayOnlyLinkToIt(
            String host, String site, String mode, String destination, int status)
            throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            String answer =
                    RawClient.of(server)
                            .send(
                                    "GET / HTTP/1.1\r\nHost: "
                                            + host
                                            + "\r\nAccept: text/html\r\nSec-Fetch-Site: "
                                            + site
                                            + "\r\nSec-Fetch-Mode: "
                                            + mode
                                            + "\r\nSec-Fetch-Dest: "
                                            + destination
                                            + "\r\nConnection: close\r\n\r\n")
                            .rest();

            assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
        }
    }

    @Test
    void pageCanBeDisabled() throws Exception {
        HttpOptions options = HttpOptions.loopback().withPage(WebUiMode.LEFT_OUT);
        try (TestServer server = TestServer.of(engine, options)) {
            HttpResponse<String> facts = server.get("/", "Accept", BROWSER);

            assertEquals("varve", TestServer.json(facts).path("name").stringValue());
            assertEquals(404, server.get("/page/0123456789abcdef/page.js").statusCode());
        }
    }

    @Test
    void loadingServerServesThePage() throws Exception {
        try (TestServer server = TestServer.loading(HttpOptions.loopback())) {
            assertEquals(200, server.get("/", "Accept", BROWSER).statusCode());
        }
    }

    private static List<String> files(String html) {
        return FILE.matcher(html).results().map(found -> found.group(1)).distinct().toList();
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    private static String type(HttpResponse<?> response) {
        return header(response, "Content-Type");
    }
}
