package dev.varve.platform.compression.conversation;

import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.selection.KeepRatio;

import java.util.Optional;

/**
 * Compression settings of a request.
 *
 * @param mode replaces the server's mode; it can also enable compression where the server's mode is
 *     off
 * @param keep replaces the server's ratio
 * @param session the client's name of its conversation, for servers with adaptive ratios
 */
public record CompressionOverrides(
        Optional<CompressionMode> mode, Optional<KeepRatio> keep, Optional<String> session) {
    /** No overrides. */
    public static final CompressionOverrides USUAL =
            new CompressionOverrides(Optional.empty(), Optional.empty(), Optional.empty());

    /** Creates overrides without a conversation name. */
    public CompressionOverrides(Optional<CompressionMode> mode, Optional<KeepRatio> keep) {
        this(mode, keep, Optional.empty());
    }
}
