package dev.varve.platform.http.model;

import java.util.Map;
import java.util.Objects;

/**
 * Facts about a model for clients.
 *
 * @param id name for clients
 * @param architecture {@code general.architecture} of the file
 * @param trainedContextTokens context that the model was trained for
 * @param details further facts for {@code /props}
 * @param placement where its shards allocate their memory
 */
public record ModelDescription(
        String id,
        String architecture,
        int trainedContextTokens,
        Map<String, Object> details,
        MemoryPlacement placement) {
    /** Copies the details. */
    public ModelDescription {
        details = Map.copyOf(details);
        Objects.requireNonNull(placement);
    }

    /** Makes a description without a known placement. */
    public ModelDescription(
            String id, String architecture, int trainedContextTokens, Map<String, Object> details) {
        this(id, architecture, trainedContextTokens, details, MemoryPlacement.UNKNOWN);
    }
}
