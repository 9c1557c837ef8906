package dev.varve.platform.http.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;

import java.util.List;
import java.util.Locale;

/**
 * Records the times of one model's generations, in nanoseconds. Thread-safe; see {@link Metrics}.
 */
public final class GenerationTimes {
    private static final double NANOS_PER_SECOND = 1e9;

    private final Points points;
    private final List<CounterDataPoint> cancelled;

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

    /** One histogram for each kind of time. */
    record Points(
            DistributionDataPoint firstToken,
            DistributionDataPoint tokenGap,
            DistributionDataPoint queue,
            DistributionDataPoint prefill,
            DistributionDataPoint decode,
            DistributionDataPoint whole) {}

    /**
     * @param cancelled one counter for each stage, in the order of the stages
     */
    GenerationTimes(Points points, List<CounterDataPoint> cancelled) {
        this.points = points;
        this.cancelled = List.copyOf(cancelled);
    }

    private static void observe(DistributionDataPoint times, long nanos) {
        times.observe(nanos / NANOS_PER_SECOND);
    }

    /** Records the time that a request waited in the engine's queue. */
    public void observeQueue(long nanos) {
        observe(points.queue(), nanos);
    }

    /** Records the time from the arrival of a request to its first token. */
    public void observeFirstToken(long nanos) {
        observe(points.firstToken(), nanos);
    }

    /** Records the time between two tokens of a request. */
    public void observeTokenGap(long nanos) {
        observe(points.tokenGap(), nanos);
    }

    /** Records the prefill time of a request, up to its first token. */
    public void observePrefill(long nanos) {
        observe(points.prefill(), nanos);
    }

    /** Records the decode time of a request, from its first token on. */
    public void observeDecode(long nanos) {
        observe(points.decode(), nanos);
    }

    /** Records the time from the arrival of a request to its end. */
    public void observeRequest(long nanos) {
        observe(points.whole(), nanos);
    }

    /** Counts a cancelled generation by its stage. */
    public void countCancelled(Stage stage) {
        cancelled.get(stage.ordinal()).inc();
    }
}
