package dev.varve.platform.http.upstream;

import dev.varve.platform.compression.conversation.ConversationCompressor;

import java.util.Objects;

/**
 * The upstream server and compression of a server without a model of its own.
 *
 * @param target server that receives the chats
 * @param limits timeouts
 * @param compressor compresses the messages
 * @param drafter display name of the prefill drafter
 */
public record CompressionProxySettings(
        UpstreamServer target,
        UpstreamTimeouts limits,
        ConversationCompressor compressor,
        String drafter) {
    /** Checks for null. */
    public CompressionProxySettings {
        Objects.requireNonNull(target);
        Objects.requireNonNull(limits);
        Objects.requireNonNull(compressor);
        Objects.requireNonNull(drafter);
    }
}
