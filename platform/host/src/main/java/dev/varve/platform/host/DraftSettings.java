package dev.varve.platform.host;

import dev.varve.platform.speculation.TreeOptions;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * Settings of speculative decoding: a step of the model verifies several draft tokens. The response
 * does not depend on them.
 *
 * @param source the speculator: a name such as {@code ngram}, {@value #MTP}, or the file of a draft
 *     model
 * @param most most draft tokens of a sequence in a step; empty: as many as the source gives, at
 *     most {@value #USUAL_MOST}
 * @param width fixed number of draft tokens of a sequence in every step; empty: as many as pay off
 * @param trees whether draft tokens form a tree, if the source has more than one for a position
 * @param placement device, memory and process of a draft model
 */
@SuppressWarnings("exports") // see package-info
public record DraftSettings(
        String source,
        OptionalInt most,
        OptionalInt width,
        TreeOptions trees,
        DraftPlacement placement) {
    /** Default limit of draft tokens. */
    public static final int USUAL_MOST = 15;

    /** Source name of the MTP block in the model's own file. */
    public static final String MTP = "mtp";

    /** Default limit of draft tokens of an MTP block. */
    public static final int USUAL_MTP = 3;

    /** Largest allowed number of draft tokens. */
    public static final int MOST = 63;

    /** Checks that nothing is missing. */
    public DraftSettings {
        Objects.requireNonNull(source);
        Objects.requireNonNull(most);
        Objects.requireNonNull(width);
        Objects.requireNonNull(trees);
        Objects.requireNonNull(placement);
    }

    /** Creates settings with a source and defaults. */
    public static DraftSettings of(String source) {
        return new DraftSettings(
                source,
                OptionalInt.empty(),
                OptionalInt.empty(),
                TreeOptions.OFF,
                DraftPlacement.USUAL);
    }
}
