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
 * @param adapters LoRA adapters, whose scales operators may change
 */
public record ModelDescription(
        String id,
        String architecture,
        int trainedContextTokens,
        Map<String, Object> details,
        MemoryPlacement placement,
        ServedAdapters adapters) {
    /** Copies the details. */
    public ModelDescription {
        details = Map.copyOf(details);
        Objects.requireNonNull(placement);
        Objects.requireNonNull(adapters);
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
        this(
                id,
                architecture,
                trainedContextTokens,
                details,
                placement,
                new ServedAdapters(List.of()));
    }

    /** Returns this description with adapters. */
    public ModelDescription with(List<ServedAdapters.Adapter> others) {
        return with(new ServedAdapters(others));
    }

    /** Returns this description with adapters that may change. */
    public ModelDescription with(ServedAdapters others) {
        return new ModelDescription(
                id, architecture, trainedContextTokens, details, placement, others);
    }
}
