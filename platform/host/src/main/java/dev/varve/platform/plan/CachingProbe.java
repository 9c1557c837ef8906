package dev.varve.platform.plan;

import dev.varve.api.model.LayerSplitAdapter;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Measures devices with parts of a model, unless that was done before: what decides about the speed
 * of a device is the key under which a measurement is kept.
 */
public final class CachingProbe {
    /** Which measurements are good enough. */
    public enum Age {
        /** Earlier ones of the same device and model, too. */
        ANY,
        /** Only new ones. */
        NEW
    }

    /**
     * A device that is ready to be measured.
     *
     * @param name for people
     * @param traits whatever decides about its speed beside the model: description, threads,
     *     numerics, builds of the plugins
     * @param opener loads ranges onto it
     * @param freeBytes what it has free
     */
    public record Subject(String name, List<String> traits, ShardOpener opener, long freeBytes) {
        /** Takes a copy of the traits. */
        public Subject {
            traits = List.copyOf(traits);
        }
    }

    private final LayerSplitAdapter model;
    private final ModelBlocks blocks;
    private final ProbeCache cache;
    private final Age age;

    /** A probe with the parts of one model. */
    public CachingProbe(LayerSplitAdapter model, ModelBlocks blocks, ProbeCache cache, Age age) {
        this.model = model;
        this.blocks = blocks;
        this.cache = cache;
        this.age = age;
    }

    /**
     * Looks a measurement up, or makes and keeps it.
     *
     * @param notes hears that the device is being measured, which takes seconds
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
                new SpeedProbe(model, blocks, subject.opener(), subject.freeBytes()).measure();
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
