package dev.varve.platform.http.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.MetricsText;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Compares the dashboard and the alerts with the metrics that a server reports. */
class MonitoringFilesTest {
    private static final Path FILES =
            Path.of(System.getProperty("varve.test.root", "."), "dist/src/main/monitoring");
    private static final Pattern SERIES = Pattern.compile("(varve_[a-z0-9_]+)(\\{[^}]*\\})?");

    private static JsonNode dashboard;
    private static JsonNode alerts;
    private static MetricsText told;

    @BeforeAll
    static void read() throws IOException {
        dashboard =
                JsonMapper.shared()
                        .readTree(Files.readString(FILES.resolve("grafana-dashboard.json")));
        alerts =
                YAMLMapper.builder()
                        .build()
                        .readTree(Files.readString(FILES.resolve("alerts.yml")));
        told =
                MetricsText.parse(
                        new String(
                                FullServer.metrics()
                                        .encode(FullServer.models(), Optional.empty())
                                        .bytes(),
                                StandardCharsets.UTF_8));
    }

    /** A series that an expression asks for. {@code selector}: with its braces, or empty. */
    private record Asked(String series, String selector) {
        static Stream<Asked> in(JsonNode expression) {
            List<Asked> all = new ArrayList<>();
            Matcher matcher = SERIES.matcher(expression.asString());
            while (matcher.find()) {
                all.add(
                        new Asked(
                                matcher.group(1),
                                Optional.ofNullable(matcher.group(2)).orElse("")));
            }
            return all.stream();
        }
    }

    private static List<Asked> asked(JsonNode file) {
        return file.findValues("expr").stream().flatMap(Asked::in).toList();
    }

    /** If the server does not report a series, its panel stays empty and its alert never fires. */
    @Test
    void dashboardAndAlertsQueryExistingMetrics() {
        for (JsonNode file : List.of(dashboard, alerts)) {
            Set<String> names = new TreeSet<>();
            asked(file).forEach(each -> names.add(each.series()));
            assertTrue(names.size() > 10, names.toString());

            names.removeAll(told.names());

            assertEquals(Set.of(), names);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "varve_prefix_cache_",
                "varve_prefix_disk_",
                "varve_prefix_shared_",
                "varve_replica_",
                "varve_shard_",
                "varve_spec_",
                "varve_draft_",
                "varve_kvflash_",
                "varve_pflash_",
                "varve_upstream_",
                "varve_kept_streams",
                "varve_traces_"
            })
    void eachPartOfAServerHasAPanel(String part) {
        assertTrue(
                asked(dashboard).stream().anyMatch(each -> each.series().startsWith(part)), part);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "varve_shard_up",
                "varve_replica_up",
                "varve_draft_up",
                "varve_prefix_shared_up",
                "varve_prefix_disk_state",
                "varve_model_state"
            })
    void losableComponentsHaveAnAlert(String series) {
        assertTrue(asked(alerts).stream().anyMatch(each -> each.series().equals(series)), series);
    }

    @ParameterizedTest
    @ValueSource(strings = {"varve_replica_up", "varve_draft_up"})
    void alertsDoNotFireForDrainedReplicas(String series) {
        List<String> wrong =
                alerts.findValues("expr").stream()
                        .map(JsonNode::asString)
                        .filter(expression -> expression.contains(series))
                        .filter(expression -> !expression.endsWith("varve_replica_drained == 1"))
                        .toList();

        assertEquals(List.of(), wrong);
    }

    /** Requests that got no model would be missing where one is chosen. */
    @Test
    void panelsFilterByServerAndModel() {
        List<String> wrong =
                asked(dashboard).stream()
                        .filter(each -> !each.series().equals("varve_requests_total"))
                        .filter(
                                each ->
                                        !each.selector().contains("instance=~\"$instance\"")
                                                || each.selector().contains("model=~\"$model\"")
                                                        != isOfModels(each.series()))
                        .map(each -> each.series() + each.selector())
                        .toList();

        assertEquals(List.of(), wrong);
    }

    private static boolean isOfModels(String series) {
        return told.samples(series).stream()
                .allMatch(sample -> sample.labels().containsKey("model"));
    }

    @Test
    void panelsAndTheirQueriesHaveUniqueNames() {
        List<Integer> ids = dashboard.findValues("id").stream().map(JsonNode::asInt).toList();
        assertEquals(ids.stream().distinct().toList(), ids);

        for (JsonNode targets : dashboard.findValues("targets")) {
            List<String> refs =
                    targets.valueStream().map(each -> each.path("refId").asString()).toList();
            assertEquals(refs.stream().distinct().toList(), refs);
        }
    }
}
