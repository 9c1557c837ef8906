package dev.varve.platform.http.model;

import java.util.Map;
import java.util.Objects;

/**
 * What clients are told of a model.
 *
 * @param id name for clients
 * @param architecture {@code general.architecture} of the file
 * @param trainedContextTokens context that the model was trained for
 * @param details further facts for {@code /props}
 * @param placement where its shards take their memory
 */
public record ModelDescription(
        String id,
        String architecture,
        int trainedContextTokens,
        Map<String, Object> details,
        ModelPlacement placement) {
    /** Copies the details. */
    public ModelDescription {
        details = Map.copyOf(details);
        Objects.requireNonNull(placement);
    }

    /** A model of whose memory nothing is known. */
    public ModelDescription(
            String id, String architecture, int trainedContextTokens, Map<String, Object> details) {
        this(id, architecture, trainedContextTokens, details, ModelPlacement.UNKNOWN);
    }
}
