package dev.varve.platform.host;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Settings of the hand-off of prompts between servers.
 *
 * @param listener address at which this server computes prompts for others; empty if it does not
 * @param peers addresses of servers that compute prompts for this one, such as {@code
 *     grpc:host:port}
 * @param when when a long prompt is sent to a peer
 * @param minTokens prompts with fewer tokens to compute stay on this server
 * @param limit how long a request waits for a peer; empty for twice the expected time of this
 *     server
 * @param sharesBackends whether values of other backends or releases of ggml may be used
 */
public record HandOffSettings(
        Optional<Endpoint> listener,
        List<String> peers,
        When when,
        int minTokens,
        Optional<Duration> limit,
        boolean sharesBackends) {
    /** Default number of tokens from which a prompt is sent to a peer. */
    public static final int USUAL_MIN_TOKENS = 1024;

    /** Default bytes of the blocks that are computed for other servers. */
    public static final long USUAL_STORE_BYTES = 1L << 30;

    /** When a long prompt is sent to a peer. */
    public enum When {
        /** When the peer and the transfer are expected to be sooner than this server. */
        FASTER,
        /** Whenever a peer is available. */
        ALWAYS
    }

    /**
     * Address at which prompts are computed for other servers.
     *
     * @param address such as {@code grpc:host:port}
     * @param storeBytes maximum bytes of the blocks until they are read
     */
    public record Endpoint(String address, long storeBytes) {
        /** Checks that the address is not missing, and that there is room. */
        public Endpoint {
            Objects.requireNonNull(address);
            if (storeBytes < 1) {
                throw new IllegalArgumentException(
                        "bytes for other servers: expected more than 0, found " + storeBytes);
            }
        }
    }

    /** Checks that nothing is missing. */
    public HandOffSettings {
        peers = List.copyOf(peers);
        Objects.requireNonNull(listener);
        Objects.requireNonNull(when);
        Objects.requireNonNull(limit);
        if (minTokens < 1) {
            throw new IllegalArgumentException(
                    "tokens of a handed prompt: expected 1 or more, found " + minTokens);
        }
    }
}
