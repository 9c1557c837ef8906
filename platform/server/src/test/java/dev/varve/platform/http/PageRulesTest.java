package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

import java.io.IOException;
import java.util.Set;

/** Which requests a server without a key takes for those of somebody else's web page. */
@Timeout(60)
class PageRulesTest {
    private static final String MODELS = "GET /v1/models HTTP/1.1\r\n";

    private final ScriptedEngine engine = new ScriptedEngine();

    @AfterEach
    void stop() {
        engine.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "localhost:8080",
                "LocalHost:1",
                "localhost.",
                "localhost.:8080",
                "varve.localhost",
                "127.0.0.1",
                "127.0.0.1:8080",
                "127.8.9.10",
                "[::1]",
                "[::1]:8080",
                "[0:0:0:0:0:0:0:1]:8080",
                "[::ffff:127.0.0.1]:8080"
            })
    void loopbackHostNamesAreServed(String host) throws IOException {
        assertEquals(200, status(HttpOptions.loopback(), "Host: " + host + "\r\n"));
    }

    @ParameterizedTest
    @CsvSource({
        "evil.example, evil.example",
        "evil.example:8080, evil.example",
        "localhost.evil.example, localhost.evil.example",
        "127.0.0.1.evil.example, 127.0.0.1.evil.example",
        "notlocalhost, notlocalhost",
        "192.168.1.5, 192.168.1.5",
        "[2001:db8::1]:8080, 2001:db8::1",
        "0.0.0.0:8080, 0.0.0.0"
    })
    void otherHostNamesAreRefusedWithTheFlag(String host, String name) throws IOException {
        String answer = answer(HttpOptions.loopback(), MODELS + "Host: " + host + "\r\n");

        assertTrue(answer.startsWith("HTTP/1.1 403"), answer);
        assertTrue(answer.contains("allowedHost " + name), answer);
        assertTrue(answer.contains("\"code\":\"host_not_allowed\""), answer);
    }

    @ParameterizedTest
    @CsvSource({
        "name.example, 200",
        "Name.Example., 200",
        "name.example:99, 200",
        "other.example, 403"
    })
    void allowedHostIsServed(String host, int status) throws IOException {
        HttpOptions options =
                HttpOptions.loopback()
                        .withPages(new CorsAndHostOptions(Set.of(), Set.of("name.example")));

        assertEquals(status, status(options, "Host: " + host + "\r\n"));
    }

    @ParameterizedTest
    @CsvSource({"varve.example, 403", "name.example, 200"})
    void metricsScraperNeedsAnAllowedHostToo(String host, int status) throws IOException {
        HttpOptions options =
                HttpOptions.loopback()
                        .withPages(new CorsAndHostOptions(Set.of(), Set.of("name.example")));

        String answer = answer(options, "GET /metrics HTTP/1.1\r\nHost: " + host + "\r\n");

        assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
    }

    /** A name without a dot is a service's in a network of containers. */
    @ParameterizedTest
    @CsvSource({
        "192.168.1.5:8080, 200",
        "varve:8080, 200",
        "host.docker.internal:8080, 200",
        "Box.Local, 200",
        "box.home.arpa., 200",
        "evillocal.example, 403",
        "local.example, 403",
        "evil.example, 403"
    })
    void publicServerAcceptsNamesThatCannotBeRebound(String host, int status) throws IOException {
        HttpOptions options =
                new HttpOptions(
                        new ListenAddress("0.0.0.0", 0),
                        new ClientAccessSettings(
                                Set.of(),
                                ClientAccessSettings.KeylessListening.ANYWHERE,
                                CorsAndHostOptions.NONE),
                        IngressLimits.DEFAULT);

        assertEquals(status, status(options, "Host: " + host + "\r\n"));
    }

    /** The host of a full address as the target counts for some, the header for others. */
    @ParameterizedTest
    @CsvSource({
        "http://localhost, localhost, 200",
        "http://evil.example, localhost, 4",
        "http://localhost, evil.example, 4",
        "http://evil.example, evil.example, 403"
    })
    void absoluteRequestTargetsAreCheckedToo(String target, String host, String status)
            throws IOException {
        String answer =
                answer(
                        HttpOptions.loopback(),
                        "GET " + target + "/v1/models HTTP/1.1\r\nHost: " + host + "\r\n");

        assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
    }

    @Test
    void nonBrowserRequestNeedsNoHost() throws IOException {
        assertTrue(
                answer(HttpOptions.loopback(), "GET /v1/models HTTP/1.0\r\n")
                        .startsWith("HTTP/1.1 200"));
        String answer = answer(HttpOptions.loopback(), MODELS);
        assertTrue(answer.startsWith("HTTP/1.1 400"), answer);
    }

    @ParameterizedTest
    @CsvSource({
        "http://localhost:8080, localhost:8080, 200",
        "http://LOCALHOST:8080, localhost.:8080, 200",
        "https://localhost, localhost, 200",
        "http://[::1]:8080, [::1]:8080, 200",
        "https://localhost, localhost:443, 200",
        "https://localhost:443, localhost, 200",
        "http://localhost, localhost:80, 200",
        "http://[::1], [::1]:80, 200",
        "http://localhost, localhost:443, 403",
        "https://localhost, localhost:80, 403",
        "http://localhost:3000, localhost:8080, 403",
        "http://127.0.0.1:8080, localhost:8080, 403",
        "https://evil.example, localhost:8080, 403",
        "null, localhost:8080, 403",
        "localhost:8080, localhost:8080, 403",
        "chrome-extension://abcdef, localhost:8080, 403"
    })
    void onlyOwnPagesMayCall(String origin, String host, int status) throws IOException {
        String headers = "Host: " + host + "\r\nOrigin: " + origin + "\r\n";

        assertEquals(status, status(HttpOptions.loopback(), headers));
    }

    @Test
    void refusedOriginNamesTheFlag() throws IOException {
        String answer =
                answer(
                        HttpOptions.loopback(),
                        MODELS + "Host: localhost\r\nOrigin: https://page.example\r\n");

        assertTrue(answer.contains("corsOrigin https://page.example"), answer);
        assertFalse(answer.contains("Access-Control-Allow-Origin"), answer);
    }

    @ParameterizedTest
    @CsvSource({"cross-site, 403", "same-site, 200", "same-origin, 200", "none, 200"})
    void crossSiteRequestIsRefused(String site, int status) throws IOException {
        String headers = "Host: localhost\r\nSec-Fetch-Site: " + site + "\r\n";

        assertEquals(status, status(HttpOptions.loopback(), headers));
    }

    @ParameterizedTest
    @CsvSource({
        "https://page.example, https://page.example, 200",
        "https://page.example, https://other.example, 403",
        "HTTPS://Page.Example:443, https://page.example, 200",
        "http://page.example:80, http://page.example, 200",
        "http://page.example:8080, http://page.example, 403",
        "http://page.example:443, http://page.example, 403",
        "*, https://other.example, 200",
        "*, null, 200"
    })
    void allowedOriginsMayCallCrossSite(String allowed, String origin, int status)
            throws IOException {
        HttpOptions options =
                HttpOptions.loopback().withPages(new CorsAndHostOptions(Set.of(allowed), Set.of()));
        String headers =
                "Host: localhost\r\nSec-Fetch-Site: cross-site\r\nOrigin: " + origin + "\r\n";

        assertEquals(status, status(options, headers));
    }

    /** Health routes accept any host name: a monitor uses the name by which it knows the server. */
    @ParameterizedTest
    @CsvSource({
        "GET /health, 200",
        "HEAD /livez, 200",
        "POST /health, 403",
        "OPTIONS /health, 403",
        "GET /metrics, 403",
        "GET //health/, 200",
        "GET /health%2F, 403",
        "GET /health/%2F, 403"
    })
    void openRoutesAcceptAnyHost(String request, int status) throws IOException {
        String answer =
                answer(HttpOptions.loopback(), request + " HTTP/1.1\r\nHost: pod.example:8080\r\n");

        assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
    }

    @Test
    void foreignPageReachesNoRouteAndNoEngine() throws IOException {
        for (String request :
                new String[] {
                    "POST /v1/completions",
                    "POST /tokenize",
                    "GET /metrics",
                    "GET /health",
                    "OPTIONS /v1/completions",
                    "DELETE /nothing"
                }) {
            String answer =
                    answer(
                            HttpOptions.loopback(),
                            request
                                    + " HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example"
                                    + "\r\nContent-Type: text/plain\r\nContent-Length: 14\r\n");
            assertTrue(answer.startsWith("HTTP/1.1 403"), request + ": " + answer);
        }
        assertTrue(engine.requests.isEmpty());
    }

    @Test
    void keyReplacesTheRules() throws IOException {
        HttpOptions options = TestServer.withKey("secret");
        String headers = "Host: name.example\r\nOrigin: http://other.example\r\n";

        assertEquals(401, status(options, headers));
        assertEquals(200, status(options, headers + "Authorization: Bearer secret\r\n"));
    }

    private int status(HttpOptions options, String headers) throws IOException {
        return Integer.parseInt(answer(options, MODELS + headers).substring(9, 12));
    }

    private String answer(HttpOptions options, String head) throws IOException {
        try (TestServer server = TestServer.of(engine, options);
                RawClient client = RawClient.of(server)) {
            return client.send(head + "Connection: close\r\n\r\n").rest();
        }
    }
}
