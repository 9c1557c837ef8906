package dev.varve.platform.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Repeats measurements only if it is necessary: if there is none of the same key that is new
 * enough, or other processes slowed it down and use at most half as much now.
 */
public final class MeasurementCache {
    /**
     * Something to measure.
     *
     * @param key everything that affects the result
     * @param kinds number of kinds of the result
     * @param isHere whether the load of this machine affects it
     */
    record Task(String key, int kinds, boolean isHere) {}

    private final ProbeCache files;
    private final Instant oldest;
    private final LoadMeter meter;

    /**
     * Creates a cache.
     *
     * @param files stored measurements
     * @param oldest time from which on stored measurements are acceptable
     * @param meter load of this machine
     */
    public MeasurementCache(ProbeCache files, Instant oldest, LoadMeter meter) {
        this.files = files;
        this.oldest = oldest;
        this.meter = meter;
    }

    /**
     * Returns a stored measurement, or measures and stores the result.
     *
     * @param measure gets the measurement that is replaced, if there is one
     */
    Measurement get(Task task, Function<Optional<Measurement>, DeviceSpeed> measure) {
        Optional<Measurement> known = find(task);
        boolean outdated =
                known.filter(Measurement::isLoaded).isPresent()
                        && known.get().isOutdatedBy(meter.now());
        if (known.isPresent() && !outdated) {
            return known.get();
        }
        Instant begin = files.clock().instant();
        Supplier<OptionalDouble> load = meter.begin();
        DeviceSpeed speed = measure.apply(known);
        Measurement fresh =
                new Measurement(
                        speed,
                        begin,
                        Duration.ZERO,
                        task.isHere() ? load.get() : OptionalDouble.empty());
        // The load may have come back meanwhile.
        Measurement best = known.filter(each -> !fresh.isBelow(each.load())).orElse(fresh);
        files.store(task.key(), best);
        return best;
    }

    private Optional<Measurement> find(Task task) {
        return files.find(task.key())
                .filter(each -> each.speed().kinds().size() == task.kinds())
                .filter(each -> !each.time().isBefore(oldest));
    }
}
