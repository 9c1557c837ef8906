package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.testkit.Await;
import dev.varve.testkit.MetricsText;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which requests alerts and the dashboard count as requests for answers. A page that is open asks
 * every second how its server is, and next to that failures would be few.
 */
@Timeout(60)
class MonitoredRoutesTest {
    private static final Path FILES =
            Path.of(System.getProperty("varve.test.root", "."), "dist/src/main/monitoring");
    private static final Pattern ROUTES = Pattern.compile("route=~\\\\?\"([^\"\\\\]+)");

    private static final Set<String> ANSWERS =
            Set.of(
                    "/v1/chat/completions",
                    "/v1/completions",
                    "/v1/messages",
                    "/v1/responses",
                    "/completion");

    /** Patterns of routes that a file asks for. */
    private static Set<String> patterns(String file) throws IOException {
        Set<String> found = new TreeSet<>();
        Matcher matcher = ROUTES.matcher(Files.readString(FILES.resolve(file)));
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    @ParameterizedTest
    @ValueSource(strings = {"alerts.yml", "grafana-dashboard.json"})
    void onlyGenerationRequestsAreCounted(String file) throws Exception {
        Set<String> patterns = patterns(file);
        assertEquals(1, patterns.size(), patterns.toString());
        Pattern pattern = Pattern.compile(patterns.iterator().next());
        try (TestServer server = TestServer.loading(HttpOptions.loopback())) {
            for (String path : ANSWERS) {
                assertEquals(503, server.post(path, "{}").statusCode(), path);
            }
            // The same under its other name.
            assertEquals(503, server.post("/chat/completions", "{}").statusCode());
            for (String path : List.of("/tokenize", "/v1/messages/count_tokens")) {
                assertEquals(503, server.post(path, "{}").statusCode(), path);
            }
            for (String path :
                    List.of("/", "/page/app.js", "/status", "/requests", "/health", "/nothing")) {
                server.get(path);
            }

            // A client may have its answer before it is counted.
            Await.until("all are counted", () -> sum(counted(server, pattern)) >= 6);
            List<MetricsText.Sample> counted = counted(server, pattern);

            assertEquals(
                    ANSWERS,
                    counted.stream()
                            .map(each -> each.labels().get("route"))
                            .collect(Collectors.toSet()));
            assertEquals(
                    Set.of("503"),
                    counted.stream()
                            .map(each -> each.labels().get("code"))
                            .collect(Collectors.toSet()));
            assertEquals(6, sum(counted));
        }
    }

    /** Samples of requests whose route a pattern takes. */
    private static List<MetricsText.Sample> counted(TestServer server, Pattern pattern) {
        try {
            return MetricsText.parse(server.get("/metrics").body())
                    .samples("varve_requests_total")
                    .stream()
                    .filter(each -> pattern.matcher(each.labels().get("route")).matches())
                    .toList();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static double sum(List<MetricsText.Sample> samples) {
        return samples.stream().mapToDouble(MetricsText.Sample::value).sum();
    }
}
