package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.TextScorer;

import java.util.Optional;
import java.util.function.BooleanSupplier;

/** A model of this process that reads texts, and whose weights may be there only meanwhile. */
public final class LocalTextScorer implements TextScorer {
    /** Tokens of a text for which there must be room if the weights are to stay. */
    private static final int USUAL_TEXT = 65_536;

    /** Whether the weights stay in memory. */
    public enum Residency {
        /** They do where a text of 65,536 tokens still finds room beside them. */
        AUTO,
        /** They do. */
        PERSISTENT,
        /** They are there while a text is read. */
        REQUEST_SCOPED
    }

    private final ModelRange model;
    private final ComputeDevice device;
    private final LayerwiseTextScorer.Look look;
    private final CacheTypes types = CacheTypes.f16();
    private final boolean persistent;
    private final long weightBytes;
    private Optional<LayerwiseTextScorer> scan;

    /**
     * Loads the weights, and lets them stay if they shall: so that a file of no use is found at
     * once.
     *
     * @param model all layers
     * @param device stays the caller's
     * @throws VarveException as {@link LayerwiseTextScorer#load}, and of kind UNSUPPORTED_MODEL if
     *     none of the layers that look has full attention
     */
    public LocalTextScorer(
            ModelRange model,
            ComputeDevice device,
            LayerwiseTextScorer.Look look,
            Residency residency,
            LoadProgress progress) {
        this.model = model;
        this.device = device;
        this.look = look;
        LayerwiseTextScorer.requireReadable(model.file().path(), model.model().shape());
        LayerwiseTextScorer.requireAttention(
                model.file().path(), model.model().shape(), look.layers());
        LayerwiseTextScorer loaded = load(progress);
        weightBytes = loaded.weightBytes();
        persistent =
                switch (residency) {
                    case PERSISTENT -> true;
                    case REQUEST_SCOPED -> false;
                    case AUTO -> needed(USUAL_TEXT) <= device.info().memoryFreeBytes();
                };
        scan = Optional.of(loaded);
        release();
    }

    private LayerwiseTextScorer load(LoadProgress progress) {
        return LayerwiseTextScorer.load(model, device, types, progress);
    }

    private long needed(int tokens) {
        return LayerwiseTextScorer.bytes(model, types, tokens, look.tail());
    }

    private void release() {
        if (!persistent) {
            close();
        }
    }

    /** Whether the weights stay in memory. */
    public boolean isPersistent() {
        return persistent;
    }

    @Override
    public long weightBytes() {
        return weightBytes;
    }

    @Override
    public long readingBytes(int tokens) {
        return needed(tokens) + (persistent ? 0 : weightBytes);
    }

    @Override
    public float[] read(int[] tokens, BooleanSupplier cancelled) {
        return read(tokens, listener(cancelled), LoadProgress.silent());
    }

    /**
     * Reads a text, and tells how it goes.
     *
     * @param progress hears of the weights, where they have to be loaded
     * @throws VarveException as for silence
     */
    public float[] read(
            int[] tokens, LayerwiseTextScorer.Listener listener, LoadProgress progress) {
        try {
            if (scan.isEmpty()) {
                scan = Optional.of(load(progress));
            }
            requireRoom(tokens.length);
            return scan.get().read(tokens, look, listener);
        } finally {
            release();
        }
    }

    private void requireRoom(int tokens) {
        long needed = needed(tokens);
        long free = device.info().memoryFreeBytes();
        if (needed > free) {
            throw new VarveException(
                    VarveException.Kind.OUT_OF_MEMORY,
                    "drafter: a prompt of "
                            + tokens
                            + " tokens takes "
                            + needed
                            + " bytes on "
                            + device.info().name()
                            + ", of which "
                            + free
                            + " are free");
        }
    }

    private static LayerwiseTextScorer.Listener listener(BooleanSupplier cancelled) {
        return new LayerwiseTextScorer.Listener() {
            @Override
            public boolean isCancelled() {
                return cancelled.getAsBoolean();
            }

            @Override
            public void onProgress(long done, long all) {
                // Whoever waits learns of the result.
            }
        };
    }

    @Override
    public void close() {
        scan.ifPresent(LayerwiseTextScorer::close);
        scan = Optional.empty();
    }
}
