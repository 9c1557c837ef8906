package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ImportanceScorer;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;

import java.util.Optional;
import java.util.function.BooleanSupplier;

/** A text scorer in this process. Its weights may be loaded only while it reads. */
public final class LocalImportanceScorer implements ImportanceScorer {
    /** Length of the text that must fit beside the weights if they are to stay in memory. */
    private static final int USUAL_TEXT = 65_536;

    /** Whether the weights stay in memory. */
    public enum Residency {
        /** Weights stay if a text of 65,536 tokens fits beside them. */
        AUTO,
        /** Weights stay. */
        PERSISTENT,
        /** Weights are loaded for each text. */
        REQUEST_SCOPED
    }

    private final ModelRange model;
    private final ComputeDevice device;
    private final LayerMajorImportanceScorer.ScoringOptions options;
    private final CacheTypes types = CacheTypes.f16();
    private final boolean persistent;
    private final long weightBytes;
    private Optional<LayerMajorImportanceScorer> scorer;

    /**
     * Loads the weights once, so that an unusable file fails at once; keeps or frees them by
     * residency.
     *
     * @param model all layers
     * @param device owned by the caller
     * @throws VarveException as {@link LayerMajorImportanceScorer#load}, and of kind
     *     UNSUPPORTED_MODEL if none of the scored layers has full attention
     */
    public LocalImportanceScorer(
            ModelRange model,
            ComputeDevice device,
            LayerMajorImportanceScorer.ScoringOptions options,
            Residency residency,
            LoadProgressListener progress) {
        this.model = model;
        this.device = device;
        this.options = options;
        LayerMajorImportanceScorer.requireReadable(model.file().path(), model.model().shape());
        LayerMajorImportanceScorer.requireAttention(
                model.file().path(), model.model().shape(), options.layers());
        LayerMajorImportanceScorer loaded = load(progress);
        weightBytes = loaded.weightBytes();
        persistent =
                switch (residency) {
                    case PERSISTENT -> true;
                    case REQUEST_SCOPED -> false;
                    case AUTO -> needed(USUAL_TEXT) <= device.info().memoryFreeBytes();
                };
        scorer = Optional.of(loaded);
        release();
    }

    private LayerMajorImportanceScorer load(LoadProgressListener progress) {
        return LayerMajorImportanceScorer.load(model, device, types, progress);
    }

    private long needed(int tokens) {
        return LayerMajorImportanceScorer.bytes(model, types, tokens, options.tail());
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
        return read(tokens, listener(cancelled), LoadProgressListener.silent());
    }

    /**
     * Reads a text, and reports the progress.
     *
     * @param progress progress of the weights, if they have to be loaded
     * @throws VarveException as {@link #read(int[], BooleanSupplier)}
     */
    public float[] read(
            int[] tokens,
            LayerMajorImportanceScorer.ProgressAndCancellation listener,
            LoadProgressListener progress) {
        try {
            if (scorer.isEmpty()) {
                scorer = Optional.of(load(progress));
            }
            requireFits(tokens.length);
            return scorer.get().read(tokens, options, listener);
        } finally {
            release();
        }
    }

    private void requireFits(int tokens) {
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

    private static LayerMajorImportanceScorer.ProgressAndCancellation listener(
            BooleanSupplier cancelled) {
        return new LayerMajorImportanceScorer.ProgressAndCancellation() {
            @Override
            public boolean isCancelled() {
                return cancelled.getAsBoolean();
            }

            @Override
            public void onProgress(long done, long all) {
                // The caller needs the result only.
            }
        };
    }

    @Override
    public void close() {
        scorer.ifPresent(LayerMajorImportanceScorer::close);
        scorer = Optional.empty();
    }
}
