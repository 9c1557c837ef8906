package dev.varve.platform.host;

import dev.varve.platform.speculation.TreeOptions;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Settings of speculative decoding: a step of the model verifies several draft tokens. The response
 * does not depend on them.
 *
 * @param source the speculator: a name such as {@code ngram}, {@value #MTP}, or the file of a draft
 *     model
 * @param device device of a draft model; empty: the device of the model's last layer
 * @param most most draft tokens of a sequence in a step; empty: as many as the source gives, at
 *     most {@value #USUAL_MOST}
 * @param width fixed number of draft tokens of a sequence in every step; empty: as many as pay off
 * @param trees whether draft tokens form a tree, if the source has more than one for a position
 * @param residency whether a draft model stays in memory
 * @param process separate process of a draft model, if it has one
 */
@SuppressWarnings("exports") // see package-info
public record DraftSettings(
        String source,
        Optional<String> device,
        OptionalInt most,
        OptionalInt width,
        TreeOptions trees,
        Residency residency,
        DraftProcessSettings process) {
    /** Default limit of draft tokens. */
    public static final int USUAL_MOST = 15;

    /** Source name of the MTP block in the model's own file. */
    public static final String MTP = "mtp";

    /** Default limit of draft tokens of an MTP block. */
    public static final int USUAL_MTP = 3;

    /** Largest allowed number of draft tokens. */
    public static final int MOST = 63;

    /** Whether the memory of a draft model is freed between requests. */
    public enum Residency {
        /** Stays loaded if memory suffices. */
        AUTO,
        /** Stays loaded. */
        PERSISTENT,
        /** Is loaded while requests run. */
        REQUEST_SCOPED
    }

    /** Checks that nothing is missing. */
    public DraftSettings {
        Objects.requireNonNull(source);
        Objects.requireNonNull(device);
        Objects.requireNonNull(most);
        Objects.requireNonNull(width);
        Objects.requireNonNull(trees);
        Objects.requireNonNull(residency);
        Objects.requireNonNull(process);
    }

    /** Creates settings with a source and defaults. */
    public static DraftSettings of(String source) {
        return new DraftSettings(
                source,
                Optional.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                TreeOptions.OFF,
                Residency.AUTO,
                DraftProcessSettings.USUAL);
    }

    /** Returns a copy with another limit. */
    public DraftSettings withMost(int tokens) {
        return new DraftSettings(
                source, device, OptionalInt.of(tokens), width, trees, residency, process);
    }

    /** Returns a copy on another device. */
    public DraftSettings onDevice(String name) {
        return new DraftSettings(source, Optional.of(name), most, width, trees, residency, process);
    }

    /** Returns a copy with a fixed number of draft tokens. */
    public DraftSettings withWidth(int tokens) {
        return new DraftSettings(
                source, device, most, OptionalInt.of(tokens), trees, residency, process);
    }

    /** Returns a copy with token trees. */
    @SuppressWarnings("exports")
    public DraftSettings withTrees(TreeOptions other) {
        return new DraftSettings(source, device, most, width, other, residency, process);
    }
}
