package dev.varve.platform.host;

import dev.varve.platform.compression.conversation.CompressionOptions;
import dev.varve.platform.shard.scoring.SparseAttention;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Settings of prompt compression before prefill. The model cannot use dropped text.
 *
 * @param drafter file of the prefill drafter
 * @param options which prompts, how much of them, and which text is kept
 * @param device device of the drafter; empty: that of the model's last layer in this process
 * @param residency whether the drafter stays in memory
 * @param process separate process of the drafter, if it has one; it keeps no positions
 * @param scoring how the drafter scores
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
     * How the drafter computes its scores.
     *
     * @param lastLayers number of last computed layers that count; empty for all
     * @param exitLayers number of layers that are computed; empty for all
     * @param rotated whether near tokens count more, since queries and keys include their positions
     * @param sparse sparse attention for long prompts; empty: all attention is dense
     */
    public record Scoring(
            OptionalInt lastLayers,
            OptionalInt exitLayers,
            boolean rotated,
            Optional<SparseAttention> sparse) {
        /** Defaults: all layers count, positions do not, and long prompts use sparse attention. */
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

    /** Creates settings with defaults except the file and the options. */
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
