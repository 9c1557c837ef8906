package dev.varve.platform.http.upstream;

import dev.varve.platform.compression.conversation.ConversationCompressor;

import java.util.Objects;

/**
 * What a server without a model of its own works with.
 *
 * @param target answers the chats
 * @param limits how long it is waited for
 * @param compressor makes their messages shorter
 * @param drafter name of the model that reads them, for people
 */
public record Upstream(
        UpstreamTarget target,
        UpstreamLimits limits,
        ConversationCompressor compressor,
        String drafter) {
    /** Checks that nothing is missing. */
    public Upstream {
        Objects.requireNonNull(target);
        Objects.requireNonNull(limits);
        Objects.requireNonNull(compressor);
        Objects.requireNonNull(drafter);
    }
}
