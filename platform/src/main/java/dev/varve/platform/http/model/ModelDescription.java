package dev.varve.platform.http.model;

import java.util.Map;

/**
 * What clients are told of a model.
 *
 * @param id name for clients
 * @param architecture {@code general.architecture} of the file
 * @param trainedContextTokens context that the model was trained for
 * @param details further facts for {@code /props}
 */
public record ModelDescription(
        String id, String architecture, int trainedContextTokens, Map<String, Object> details) {
    /** Copies the details. */
    public ModelDescription {
        details = Map.copyOf(details);
    }
}
