package dev.varve.platform.hub;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A model of the hub on this disk.
 *
 * @param reference with the quantisation that was selected
 * @param parts its files in order, one unless it is split
 * @param draft its draft model, if it was downloaded too
 * @param projector its projector, if it was downloaded too
 */
public record PulledModel(
        HubReference reference, List<Path> parts, Optional<Path> draft, Optional<Path> projector) {
    public PulledModel {
        parts = List.copyOf(parts);
    }

    /** The file to open: the first part. */
    public Path file() {
        return parts.getFirst();
    }
}
