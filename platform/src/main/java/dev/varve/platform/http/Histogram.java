package dev.varve.platform.http;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** A Prometheus histogram of times. Thread-safe without locks. */
final class Histogram {
    private static final double[] BOUNDS_SECONDS = {
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300
    };
    private static final double NANOS = 1e9;

    private final String name;
    private final String help;
    private final AtomicLongArray counts = new AtomicLongArray(BOUNDS_SECONDS.length + 1);
    private final LongAdder sumNanos = new LongAdder();

    Histogram(String name, String help) {
        this.name = name;
        this.help = help;
    }

    void observe(long nanos) {
        int bucket = 0;
        while (bucket < BOUNDS_SECONDS.length && nanos > BOUNDS_SECONDS[bucket] * NANOS) {
            bucket++;
        }
        counts.incrementAndGet(bucket);
        sumNanos.add(nanos);
    }

    void write(StringBuilder out) {
        out.append("# HELP ").append(name).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(name).append(" histogram\n");
        long total = 0;
        for (int i = 0; i < BOUNDS_SECONDS.length; i++) {
            total += counts.get(i);
            out.append(name)
                    .append("_bucket{le=\"")
                    .append(BOUNDS_SECONDS[i])
                    .append("\"} ")
                    .append(total)
                    .append('\n');
        }
        total += counts.get(BOUNDS_SECONDS.length);
        out.append(name).append("_bucket{le=\"+Inf\"} ").append(total).append('\n');
        out.append(name)
                .append("_sum ")
                .append(String.format(Locale.ROOT, "%.6f", sumNanos.sum() / NANOS))
                .append('\n');
        out.append(name).append("_count ").append(total).append('\n');
    }
}
