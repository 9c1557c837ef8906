package dev.varve.platform.plan;

import dev.varve.api.model.LayerSplitAdapter;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Measures devices with parts of a model, and caches the measurements. The cache key holds
 * everything that affects the speed of a device.
 */
public final class CachingProbe {
    /** Age of acceptable measurements. */
    public enum Age {
        /** Cached measurements of the same device and model are acceptable. */
        ANY,
        /** Only new measurements are acceptable. */
        NEW
    }

    /**
     * A device to measure.
     *
     * @param name for messages
     * @param traits everything that affects its speed beside the model: description, threads,
     *     numerics, builds of the plugins
     * @param opener loads ranges onto it
     * @param freeBytes its free memory
     * @param isHere whether it is on this machine, whose load affects it
     */
    public record Subject(
            String name, List<String> traits, ShardOpener opener, long freeBytes, boolean isHere) {
        /** Copies the traits. */
        public Subject {
            traits = List.copyOf(traits);
        }
    }

    private final LayerSplitAdapter model;
    private final Supplier<ModelBlocks> blocks;
    private final ProbeCache cache;
    private final Instant oldest;
    private final LoadMeter meter;

    /**
     * Creates a probe for the parts of one model.
     *
     * @param oldest time from which on cached measurements are acceptable
     * @param meter load of this machine
     */
    public CachingProbe(
            LayerSplitAdapter model,
            Supplier<ModelBlocks> blocks,
            ProbeCache cache,
            Instant oldest,
            LoadMeter meter) {
        this.model = model;
        this.blocks = blocks;
        this.cache = cache;
        this.oldest = oldest;
        this.meter = meter;
    }

    /**
     * Returns a cached measurement, or measures the device and caches the result. A measurement
     * that other processes slowed down is repeated if they use at most half as much now.
     *
     * @param notes receives a note when the device is measured, which takes seconds
     * @throws dev.varve.api.VarveException if a part does not fit the device, or the device fails
     */
    public Measurement measure(Subject subject, Consumer<String> notes) {
        String key = key(subject);
        Optional<Measurement> known = find(key);
        boolean outdated =
                known.filter(Measurement::isLoaded).isPresent()
                        && known.get().isOutdatedBy(meter.now());
        if (known.isPresent() && !outdated) {
            return known.get();
        }
        notes.accept(
                "measuring "
                        + subject.name()
                        + (outdated ? " again" : "")
                        + " with a few layers of the model"
                        + (outdated ? ": it was " + known.get().describe() : ""));
        Instant begin = cache.clock().instant();
        Supplier<OptionalDouble> load = meter.begin();
        DeviceSpeed speed =
                new BlockBenchmark(model, blocks.get(), subject.opener(), subject.freeBytes())
                        .measure();
        Measurement fresh =
                new Measurement(
                        speed,
                        begin,
                        Duration.ZERO,
                        subject.isHere() ? load.get() : OptionalDouble.empty());
        // The load may have come back meanwhile.
        Measurement best =
                known.filter(each -> outdated && !fresh.isBelow(each.load())).orElse(fresh);
        cache.store(key, best);
        return best;
    }

    private Optional<Measurement> find(String key) {
        return cache.find(key)
                .filter(each -> each.speed().kinds().size() == blocks.get().kindCount())
                .filter(each -> !each.time().isBefore(oldest));
    }

    private String key(Subject subject) {
        return (String.join(" | ", subject.traits()) + " | model " + blocks.get().identity())
                .replaceAll("\\R", " ");
    }
}
