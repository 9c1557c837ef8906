package dev.varve.platform.http.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;

import java.util.Locale;
import java.util.Map;

/**
 * Records the times of one model's generations, in nanoseconds. Thread-safe; see {@link Metrics}.
 */
public final class GenerationLatencyRecorder {
    private static final double NANOS_PER_SECOND = 1e9;

    private final Map<Interval, DistributionDataPoint> times;
    private final Map<Stage, CounterDataPoint> cancelled;

    /** Stage of a generation when it is cancelled. */
    public enum Stage {
        /** The prompt is rendered or compressed. */
        PREPARE,
        /** The request waits in the engine's queue. */
        QUEUE,
        /** A cached prefix is copied to the devices. */
        RESTORE,
        /** The prompt is computed. */
        PREFILL,
        /** At least one token was generated. */
        DECODE;

        /** Returns the label in metrics. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Interval in the life of a generation. */
    public enum Interval {
        /** From the arrival of a request to its first token. */
        FIRST_TOKEN(
                "varve_time_to_first_token_seconds",
                "Time from the request to its first token.",
                HistogramBuckets.waits()),
        /** Between two tokens of a request. */
        TOKEN_GAP(
                "varve_inter_token_latency_seconds",
                "Time between two tokens of a request.",
                HistogramBuckets.tokens()),
        /** In the engine's queue. */
        QUEUE(
                "varve_queue_time_seconds",
                "Time of a request in the engine's queue.",
                HistogramBuckets.waits()),
        /** Prefill of a request, up to its first token. */
        PREFILL(
                "varve_prefill_time_seconds",
                "Time from the start of prefill to the first token.",
                HistogramBuckets.waits()),
        /** Decode of a request, from its first token on. */
        DECODE(
                "varve_decode_time_seconds",
                "Time from the first token of a request to its last one.",
                HistogramBuckets.generationTimes()),
        /** From the arrival of a request to its end. */
        REQUEST(
                "varve_e2e_request_latency_seconds",
                "Time from the request to its last token.",
                HistogramBuckets.generationTimes());

        final String metric;
        final String help;
        final double[] bounds;

        Interval(String metric, String help, double[] bounds) {
            this.metric = metric;
            this.help = help;
            this.bounds = bounds;
        }
    }

    GenerationLatencyRecorder(
            Map<Interval, DistributionDataPoint> times, Map<Stage, CounterDataPoint> cancelled) {
        this.times = times;
        this.cancelled = cancelled;
    }

    /** Records the length of an interval. */
    public void observe(Interval interval, long nanos) {
        times.get(interval).observe(nanos / NANOS_PER_SECOND);
    }

    /** Counts a cancelled generation by its stage. */
    public void countCancelled(Stage stage) {
        cancelled.get(stage).inc();
    }
}
