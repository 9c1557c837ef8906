package dev.varve.platform.host;

import dev.varve.platform.speculation.TreeOptions;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How tokens are guessed, so that a step of the model checks several of them. What is answered does
 * not depend on it.
 *
 * @param source what guesses: the name of a speculator such as {@code ngram}, {@value #MTP}, or the
 *     file of a draft model
 * @param device of a draft model; empty: the device of the model's last layer
 * @param most most guesses of a sequence in a step; empty: as many as the source gives, at most
 *     {@value #USUAL_MOST}
 * @param width guesses of a sequence in every step; empty: as many as pay
 * @param trees whether guesses branch, where the source has more than one for a place
 * @param residency whether a draft model stays in memory
 * @param process of a draft model's own, if it has one
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
    /** Guesses where nobody asked for another number. */
    public static final int USUAL_MOST = 15;

    /** The source that stands for the block for multi-token prediction of the model's own file. */
    public static final String MTP = "mtp";

    /** Guesses of such a block where nobody asked for another number. */
    public static final int USUAL_MTP = 3;

    /** Most that can be asked for. */
    public static final int MOST = 63;

    /** Whether the memory of a draft model is given back. */
    public enum Residency {
        /** Stays where there is room for it. */
        AUTO,
        /** Stays. */
        PERSISTENT,
        /** Is there while requests run. */
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

    /** What guesses, and everything else as usual. */
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

    /** The same with another limit. */
    public DraftSettings withMost(int tokens) {
        return new DraftSettings(
                source, device, OptionalInt.of(tokens), width, trees, residency, process);
    }

    /** The same on another device. */
    public DraftSettings onDevice(String name) {
        return new DraftSettings(source, Optional.of(name), most, width, trees, residency, process);
    }

    /** The same with a fixed number of guesses. */
    public DraftSettings withWidth(int tokens) {
        return new DraftSettings(
                source, device, most, OptionalInt.of(tokens), trees, residency, process);
    }

    /** The same with guesses that may branch. */
    @SuppressWarnings("exports")
    public DraftSettings withTrees(TreeOptions other) {
        return new DraftSettings(source, device, most, width, other, residency, process);
    }
}
