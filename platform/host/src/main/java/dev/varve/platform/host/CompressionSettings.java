package dev.varve.platform.host;

import dev.varve.platform.compression.conversation.ConversationCompressionSettings;
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
 * @param placement device, memory and process of the drafter; it keeps no positions
 * @param scoring how the drafter scores
 */
@SuppressWarnings("exports") // see package-info
public record CompressionSettings(
        Path drafter,
        ConversationCompressionSettings options,
        DraftPlacement placement,
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
        Objects.requireNonNull(placement);
        Objects.requireNonNull(scoring);
    }

    /** Creates settings with defaults except the file and the options. */
    public static CompressionSettings of(Path drafter, ConversationCompressionSettings options) {
        return new CompressionSettings(drafter, options, DraftPlacement.USUAL, Scoring.USUAL);
    }

    /** Returns a copy with another placement, except that a drafter that stays in memory stays. */
    public CompressionSettings with(DraftPlacement other) {
        boolean stays = placement.residency() == DraftPlacement.Residency.PERSISTENT;
        return new CompressionSettings(
                drafter,
                options,
                stays ? other.with(DraftPlacement.Residency.PERSISTENT) : other,
                scoring);
    }
}
