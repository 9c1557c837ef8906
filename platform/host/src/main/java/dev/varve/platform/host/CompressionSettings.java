package dev.varve.platform.host;

import dev.varve.platform.compression.conversation.CompressionOptions;
import dev.varve.platform.shard.scoring.SparseAttention;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How long prompts become shorter before the model computes them. What it never sees it cannot
 * answer from.
 *
 * @param drafter file of a small model that reads them
 * @param options which prompts, how much of them, and what of it
 * @param device of the drafter; empty: that of the model's last layer in this process
 * @param residency whether the drafter stays in memory
 * @param process of the drafter's own, if it has one; it keeps no positions
 * @param scoring what of the drafter counts
 */
@SuppressWarnings("exports") // see package-info
public record CompressionSettings(
        Path drafter,
        CompressionOptions options,
        Optional<String> device,
        DraftSettings.Residency residency,
        DraftProcessSettings process,
        Scoring scoring) {
    /**
     * What of a drafter counts.
     *
     * @param lastLayers only so many of the computed layers, the last ones; empty for all
     * @param exitLayers only so many layers are computed; empty for all
     * @param rotated whether what is near counts more, since queries and keys have their positions
     *     in them
     * @param sparse how long prompts are read in less time; empty: all attention is dense
     */
    public record Scoring(
            OptionalInt lastLayers,
            OptionalInt exitLayers,
            boolean rotated,
            Optional<SparseAttention> sparse) {
        /** All layers, wherever something stands. */
        public static final Scoring USUAL =
                new Scoring(
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        false,
                        Optional.of(SparseAttention.USUAL));
    }

    /** Checks that nothing is missing. */
    public CompressionSettings {
        Objects.requireNonNull(drafter);
        Objects.requireNonNull(options);
        Objects.requireNonNull(device);
        Objects.requireNonNull(residency);
        Objects.requireNonNull(process);
        Objects.requireNonNull(scoring);
    }

    /** Everything but the file and the options as usual. */
    public static CompressionSettings of(Path drafter, CompressionOptions options) {
        return new CompressionSettings(
                drafter,
                options,
                Optional.empty(),
                DraftSettings.Residency.AUTO,
                DraftProcessSettings.USUAL,
                Scoring.USUAL);
    }
}
