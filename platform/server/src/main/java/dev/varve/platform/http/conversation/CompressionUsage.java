package dev.varve.platform.http.conversation;

import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.compression.CompressionTimes;

import tools.jackson.databind.node.ObjectNode;

/** What an answer says of a prompt that became shorter: an extension. */
public final class CompressionUsage {
    private CompressionUsage() {}

    /**
     * The prompt counts as its client meant it; what the model got is told beside it.
     *
     * @param usage counts of tokens, of which the prompt's are those that the model got
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
     * How the prompt became shorter, under {@code compression}.
     *
     * @return that object, for more
     */
    public static ObjectNode putReport(CompressionReport report, ObjectNode usage) {
        return usage.putObject("compression")
                .put("mode", report.mode().word())
                .put("keep_requested", report.keepRequested())
                .put("keep_actual", thousandths(report.keepActual()))
                .put("drafter_ms", tenths(report.times().scoreMillis()))
                .put("cached_messages", report.cachedMessages());
    }

    /** What that took, under {@code compression}. */
    public static void putTimes(CompressionTimes times, ObjectNode timings) {
        timings.putObject("compression")
                .put("tokenize_ms", tenths(times.tokenizeMillis()))
                .put("score_ms", tenths(times.scoreMillis()))
                .put("select_ms", tenths(times.selectMillis()));
    }

    private static double thousandths(double value) {
        return Math.round(value * 1000) / 1000.0;
    }

    private static double tenths(double value) {
        return Math.round(value * 10) / 10.0;
    }
}
