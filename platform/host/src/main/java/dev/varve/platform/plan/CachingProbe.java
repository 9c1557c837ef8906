package dev.varve.platform.plan;

import dev.varve.api.model.LayerSplitAdapter;

import java.util.List;
import java.util.Optional;
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
    private final MeasurementCache cache;

    /** Creates a probe for the parts of one model. */
    public CachingProbe(
            LayerSplitAdapter model, Supplier<ModelBlocks> blocks, MeasurementCache cache) {
        this.model = model;
        this.blocks = blocks;
        this.cache = cache;
    }

    /**
     * Returns a cached measurement, or measures the device and caches the result, see {@link
     * MeasurementCache}.
     *
     * @param notes receives a note when the device is measured, which takes seconds
     * @throws dev.varve.api.VarveException if a part does not fit the device, or the device fails
     */
    public Measurement measure(Subject subject, Consumer<String> notes) {
        int kinds = blocks.get().kindCount();
        return cache.get(
                new MeasurementCache.Task(key(subject), kinds, subject.isHere()),
                known -> {
                    notes.accept(announcement(subject, known));
                    return new BlockBenchmark(
                                    model, blocks.get(), subject.opener(), subject.freeBytes())
                            .measure();
                });
    }

    private static String announcement(Subject subject, Optional<Measurement> known) {
        return "measuring "
                + subject.name()
                + (known.isPresent() ? " again" : "")
                + " with a few layers of the model"
                + known.map(each -> ": it was " + each.describe()).orElse("");
    }

    private String key(Subject subject) {
        return (String.join(" | ", subject.traits()) + " | model " + blocks.get().identity())
                .replaceAll("\\R", " ");
    }
}
