package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.http.trace.Tracing;
import dev.varve.platform.plugin.PluginCatalog;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.util.List;

class MonitoringArgumentsTest {
    private static MonitoringArguments parse(String... arguments) {
        MonitoringArguments parsed = new MonitoringArguments();
        new CommandLine(parsed).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        return parsed;
    }

    private static PluginCatalog nobodyAsks() {
        throw new AssertionError("no plugin is needed");
    }

    @Test
    void withoutFlagsNothingIsTracedAndNoPluginIsNeeded() {
        try (Tracing tracing = parse().tracing(MonitoringArgumentsTest::nobodyAsks)) {
            assertFalse(tracing.isOn());
        }
        assertFalse(parse().vllmNames());
        assertTrue(parse("--metrics-aliases", "vllm").vllmNames());
    }

    @ParameterizedTest
    @ValueSource(strings = {"-0.1", "1.1", "NaN"})
    void sampleRatioIsFromZeroToOne(String share) {
        UsageException failure =
                assertThrows(
                        UsageException.class,
                        () ->
                                parse("--otlp-endpoint", "http://localhost", "--otlp-share", share)
                                        .tracing(MonitoringArgumentsTest::nobodyAsks));

        assertTrue(
                failure.getMessage().startsWith("--otlp-share: expected a number from 0 to 1"),
                failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--otlp-share=0.5", "--otlp-header-file=headers.txt"})
    void traceFlagsNeedACollector(String flag) {
        UsageException failure =
                assertThrows(
                        UsageException.class,
                        () -> parse(flag).tracing(MonitoringArgumentsTest::nobodyAsks));

        assertEquals(
                flag.substring(0, flag.indexOf('=')) + ": needs --otlp-endpoint",
                failure.getMessage());
    }

    @Test
    void missingPluginIsReported() {
        VarveException failure =
                assertThrows(
                        VarveException.class,
                        () ->
                                parse("--otlp-endpoint", "http://localhost:4318")
                                        .tracing(() -> PluginCatalog.of(List.of())));

        assertEquals(VarveException.Kind.UNAVAILABLE, failure.kind());
        assertTrue(
                failure.getMessage().startsWith("no plugin provides trace exporter otlp"),
                failure.getMessage());
    }
}
