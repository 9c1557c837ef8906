package dev.varve.platform.compression.conversation;

import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.selection.KeepRatio;

import java.util.Optional;

/**
 * What a request asks of compression.
 *
 * @param mode in the place of the server's; a request can ask for less where that is off
 * @param keep in the place of the server's
 */
public record CompressionWish(Optional<CompressionMode> mode, Optional<KeepRatio> keep) {
    /** Whatever is usual. */
    public static final CompressionWish USUAL =
            new CompressionWish(Optional.empty(), Optional.empty());
}
