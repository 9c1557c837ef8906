package dev.varve.platform.http.model;

import java.util.List;
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
 * @param adapters LoRA adapters, by their ids from 0 on
 */
public record ModelDescription(
        String id,
        String architecture,
        int trainedContextTokens,
        Map<String, Object> details,
        MemoryPlacement placement,
        List<Adapter> adapters) {
    /**
     * A LoRA adapter.
     *
     * @param path file as the operator named it
     * @param scale factor of its changes
     */
    public record Adapter(String path, float scale) {}

    /** Copies the details. */
    public ModelDescription {
        details = Map.copyOf(details);
        Objects.requireNonNull(placement);
        adapters = List.copyOf(adapters);
    }

    /** Makes a description without a known placement. */
    public ModelDescription(
            String id, String architecture, int trainedContextTokens, Map<String, Object> details) {
        this(id, architecture, trainedContextTokens, details, MemoryPlacement.UNKNOWN);
    }

    /** Makes a description without adapters. */
    public ModelDescription(
            String id,
            String architecture,
            int trainedContextTokens,
            Map<String, Object> details,
            MemoryPlacement placement) {
        this(id, architecture, trainedContextTokens, details, placement, List.of());
    }

    /** Returns this description with adapters. */
    public ModelDescription with(List<Adapter> others) {
        return new ModelDescription(
                id, architecture, trainedContextTokens, details, placement, others);
    }
}
