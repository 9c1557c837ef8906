package dev.varve.platform.plan;

import dev.varve.api.model.LayerSplitAdapter;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

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
     */
    public record Subject(String name, List<String> traits, ShardOpener opener, long freeBytes) {
        /** Copies the traits. */
        public Subject {
            traits = List.copyOf(traits);
        }
    }

    private final LayerSplitAdapter model;
    private final ModelBlocks blocks;
    private final ProbeCache cache;
    private final Age age;

    /** Creates a probe for the parts of one model. */
    public CachingProbe(LayerSplitAdapter model, ModelBlocks blocks, ProbeCache cache, Age age) {
        this.model = model;
        this.blocks = blocks;
        this.cache = cache;
        this.age = age;
    }

    /**
     * Returns a cached measurement, or measures the device and caches the result.
     *
     * @param notes receives a note when the device is measured, which takes seconds
     * @throws dev.varve.api.VarveException if a part does not fit the device, or the device fails
     */
    public DeviceSpeed measure(Subject subject, Consumer<String> notes) {
        String key = key(subject);
        Optional<DeviceSpeed> known = age == Age.ANY ? find(key) : Optional.empty();
        if (known.isPresent()) {
            return known.get();
        }
        notes.accept("measuring " + subject.name() + " with a few layers of the model");
        DeviceSpeed speed =
                new BlockBenchmark(model, blocks, subject.opener(), subject.freeBytes()).measure();
        cache.store(key, speed);
        return speed;
    }

    private Optional<DeviceSpeed> find(String key) {
        return cache.find(key).filter(speed -> speed.kinds().size() == blocks.kindCount());
    }

    private String key(Subject subject) {
        return (String.join(" | ", subject.traits()) + " | model " + blocks.identity())
                .replaceAll("\\R", " ");
    }
}
