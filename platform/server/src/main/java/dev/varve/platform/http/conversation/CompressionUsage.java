package dev.varve.platform.http.conversation;

import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.compression.CompressionTimes;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ObjectNode;

/** Reports prompt compression in the usage of a response. An extension of the API. */
public final class CompressionUsage {
    private CompressionUsage() {}

    /**
     * Counts the prompt as the client sent it, and adds the number of tokens that the model
     * received.
     *
     * @param usage token counts; its prompt tokens are those that the model received
     */
    public static void put(CompressionReport report, ObjectNode usage, ObjectNode timings) {
        int completion = usage.path("completion_tokens").asInt();
        usage.put("prompt_tokens", report.promptTokens());
        usage.put("total_tokens", report.promptTokens() + completion);
        usage.put("effective_prompt_tokens", report.effectiveTokens());
        putReport(report, usage);
        putTimes(report.times(), timings);
    }

    /**
     * Adds how the prompt was compressed, under {@code compression}.
     *
     * @return the object under {@code compression}, for further fields
     */
    public static ObjectNode putReport(CompressionReport report, ObjectNode usage) {
        return usage.putObject("compression")
                .put("mode", report.mode().word())
                .put("keep_requested", report.keepRequested())
                .put("keep_actual", Json.thousandths(report.keepActual()))
                .put("drafter_ms", Json.tenths(report.times().scoreMillis()))
                .put("cached_messages", report.cachedMessages());
    }

    /** Adds the times of the compression, under {@code compression}. */
    public static void putTimes(CompressionTimes times, ObjectNode timings) {
        timings.putObject("compression")
                .put("tokenize_ms", Json.tenths(times.tokenizeMillis()))
                .put("score_ms", Json.tenths(times.scoreMillis()))
                .put("select_ms", Json.tenths(times.selectMillis()));
    }
}
