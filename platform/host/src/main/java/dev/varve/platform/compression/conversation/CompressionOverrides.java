package dev.varve.platform.compression.conversation;

import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.selection.KeepRatio;

import java.util.Optional;

/**
 * What a request asks of compression.
 *
 * @param mode in the place of the server's; a request can ask for less where that is off
 * @param keep in the place of the server's
 * @param session what the client calls its conversation, for servers that learn from answers
 */
public record CompressionOverrides(
        Optional<CompressionMode> mode, Optional<KeepRatio> keep, Optional<String> session) {
    /** Whatever is usual. */
    public static final CompressionOverrides USUAL =
            new CompressionOverrides(Optional.empty(), Optional.empty(), Optional.empty());

    /** Of no conversation with a name. */
    public CompressionOverrides(Optional<CompressionMode> mode, Optional<KeepRatio> keep) {
        this(mode, keep, Optional.empty());
    }
}
