package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;

import dev.varve.testkit.Qwen35Model;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** A foreign page in a real browser tries to reach a server that has no key. */
@Timeout(180)
class BrowserIT {
    /** Each way to reach a server that needs no question beforehand, and one that does. */
    private static final String PAGE =
            """
            <html><body><pre id="told"></pre>
            <img src="SERVER/metrics">
            <iframe name="hidden"></iframe>
            <form id="form" method="post" enctype="text/plain" target="hidden"
                action="SERVER/v1/completions"><input name='{"prompt":"a","x":"' value='"}'></form>
            <script>
            const told = document.getElementById('told');
            const body = JSON.stringify({prompt: 'a', max_tokens: 1});
            document.getElementById('form').submit();
            Promise.allSettled([
                fetch('SERVER/v1/completions', {method: 'POST', mode: 'no-cors',
                    headers: {'Content-Type': 'text/plain'}, body}).then(r => r.type),
                fetch('SERVER/v1/completions', {method: 'POST',
                    headers: {'Content-Type': 'application/json'}, body}).then(r => r.text()),
                fetch('SERVER/v1/models').then(r => r.text())
            ]).then(all => told.textContent = 'told: ' + all.map(one => one.value || 'nothing')
                .join(' | '));
            </script></body></html>
            """;

    @TempDir static Path folder;

    private static Browser browser;
    private static Varve varve;
    private static Path model;
    private static HttpServer pages;
    private static final AtomicReference<String> PAGE_NOW = new AtomicReference<>("");

    @BeforeAll
    static void start() throws IOException {
        Optional<Browser> found = Browser.find(folder);
        assumeTrue(
                found.isPresent(), "no Chromium in the path, so no page tries to reach a server");
        browser = found.get();
        varve = new Varve(Varve.INSTALLATION, folder);
        model = Qwen35Model.tiny().write(folder);
        pages = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        pages.createContext(
                "/",
                exchange -> {
                    byte[] page = PAGE_NOW.get().getBytes(StandardCharsets.UTF_8);
                    exchange.getResponseHeaders().set("Content-Type", "text/html");
                    exchange.sendResponseHeaders(200, page.length);
                    exchange.getResponseBody().write(page);
                    exchange.close();
                });
        pages.start();
    }

    @AfterAll
    static void stop() {
        Optional.ofNullable(pages).ifPresent(server -> server.stop(0));
    }

    @Test
    void foreignPageIsBlocked() throws Exception {
        try (Varve.Server server = varve.serve("--model", model)) {
            String told = attack(server.url());

            assertTrue(told.contains("told: opaque | nothing | nothing"), told);
            String counts = counts(server);
            // The form, the text that needs no question, and the question before the JSON.
            assertEquals(3, answers(counts, "/v1/completions", 403), counts);
            assertEquals(0, answers(counts, "/v1/completions", 200), counts);
            assertEquals(1, answers(counts, "/metrics", 403), counts);
        }
    }

    @Test
    @Tag("nightly")
    void pageOfAnAllowedOriginIsServed() throws Exception {
        try (Varve.Server server = varve.serve("--model", model, "--cors-origin", origin())) {
            String told = attack(server.url());

            assertTrue(told.contains("told: opaque | {"), told);
            assertTrue(told.contains("\"object\":\"list\""), told);
            assertTrue(answers(counts(server), "/v1/completions", 200) > 0);
        }
    }

    /** DNS rebinding: the name of the page points to this machine, so it is one origin. */
    @Test
    @Tag("nightly")
    void foreignHostNameIsRefused() throws Exception {
        try (Varve.Server server = varve.serve("--model", model)) {
            int port = URI.create(server.url()).getPort();
            String rebound = "http://" + Browser.FOREIGN + ":" + port;

            String seen = browser.open(rebound + "/v1/models");
            String told = attack(rebound);

            assertTrue(seen.contains("host_not_allowed"), seen);
            assertTrue(told.contains("told: opaque | nothing | nothing"), told);
            assertEquals(0, answers(counts(server), "/v1/completions", 200));
        }
    }

    @Test
    @Tag("nightly")
    void userMayOpenTheServerAddress() throws Exception {
        try (Varve.Server server = varve.serve("--model", model)) {
            String seen = browser.open(server.url() + "/v1/models");

            assertTrue(seen.contains("\"object\":\"list\""), seen);
        }
    }

    private static String attack(String server) throws Exception {
        PAGE_NOW.set(PAGE.replace("SERVER", server));
        return browser.open(origin());
    }

    private static String origin() {
        return "http://" + Browser.FOREIGN + ":" + pages.getAddress().getPort();
    }

    /** How often a route answered so. */
    private static double answers(String counts, String route, int code) {
        return counts.lines()
                .filter(line -> line.startsWith("varve_requests_total{"))
                .filter(line -> line.contains("route=\"" + route + "\""))
                .filter(line -> line.contains("code=\"" + code + "\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    private static String counts(Varve.Server server) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> metrics =
                    client.send(
                            HttpRequest.newBuilder(URI.create(server.url() + "/metrics")).build(),
                            HttpResponse.BodyHandlers.ofString());
            assertEquals(200, metrics.statusCode(), metrics.body());
            return metrics.body();
        }
    }
}
