package dev.varve.platform.http.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;

import java.util.List;
import java.util.Locale;

/** Takes the times of one model's answers, in nanoseconds. Thread-safe; see {@link Metrics}. */
public final class GenerationTimes {
    private static final double NANOS_PER_SECOND = 1e9;

    private final Points points;
    private final List<CounterDataPoint> cancelled;

    /** Where an answer is when its client leaves. */
    public enum Stage {
        /** Its prompt is prepared, or made shorter. */
        PREPARE,
        /** It waits for a place. */
        QUEUE,
        /** The beginning of its prompt is copied to the devices. */
        RESTORE,
        /** Its prompt is computed. */
        PREFILL,
        /** It has a token. */
        DECODE;

        /** The word in metrics. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** A histogram for each kind of time. */
    record Points(
            DistributionDataPoint firstToken,
            DistributionDataPoint tokenGap,
            DistributionDataPoint queue,
            DistributionDataPoint prefill,
            DistributionDataPoint decode,
            DistributionDataPoint whole) {}

    /**
     * @param cancelled a counter for each stage, in their order
     */
    GenerationTimes(Points points, List<CounterDataPoint> cancelled) {
        this.points = points;
        this.cancelled = List.copyOf(cancelled);
    }

    private static void observe(DistributionDataPoint times, long nanos) {
        times.observe(nanos / NANOS_PER_SECOND);
    }

    /** How long a request waited in the engine's queue. */
    public void observeQueue(long nanos) {
        observe(points.queue(), nanos);
    }

    /** How long a request took to its first token, from when it came. */
    public void observeFirstToken(long nanos) {
        observe(points.firstToken(), nanos);
    }

    /** The time between two tokens of a request. */
    public void observeTokenGap(long nanos) {
        observe(points.tokenGap(), nanos);
    }

    /** How long a request's prompt was computed, up to its first token. */
    public void observePrefill(long nanos) {
        observe(points.prefill(), nanos);
    }

    /** How long a request generated, from its first token on. */
    public void observeDecode(long nanos) {
        observe(points.decode(), nanos);
    }

    /** How long a request took to its last token, from when it came. */
    public void observeRequest(long nanos) {
        observe(points.whole(), nanos);
    }

    /** Counts an answer that nobody waited for any more. */
    public void countCancelled(Stage stage) {
        cancelled.get(stage.ordinal()).inc();
    }
}
