package dev.varve.platform.intake;

import dev.varve.platform.setting.Setting;

import java.time.Duration;

/**
 * Limits on the server resources that clients use.
 *
 * @param bodyBytes largest request body
 * @param connectionsPerClient most connections of one address
 * @param bodyMemoryBytes memory of all bodies together, beyond the first 64 KiB of each; one of
 *     them may exceed it
 * @param timeouts limits on slow clients
 * @param memoryTimeout how long a request waits for memory before it is refused
 */
public record IngressLimits(
        int bodyBytes,
        int connectionsPerClient,
        long bodyMemoryBytes,
        ClientTimeouts timeouts,
        Duration memoryTimeout) {
    /**
     * The largest image has 20 MiB, which take 27 MiB in base64 with line breaks. A prompt of a
     * million tokens has about 4 MiB; the rest is for escapes and for histories that the template
     * omits.
     */
    public static final int DEFAULT_BODY_BYTES = 32 << 20;

    /** High, since a reverse proxy counts as one client. */
    public static final int DEFAULT_CONNECTIONS = 1024;

    /** Share of the heap for bodies: parsed bodies need several times their memory. */
    private static final int HEAP_SHARE = 8;

    /** Defaults for a server on a machine with other tasks. */
    public static final IngressLimits DEFAULT =
            new IngressLimits(
                    DEFAULT_BODY_BYTES,
                    DEFAULT_CONNECTIONS,
                    Runtime.getRuntime().maxMemory() / HEAP_SHARE,
                    ClientTimeouts.DEFAULT,
                    Duration.ofSeconds(30));

    /**
     * Checks the configured values.
     *
     * @throws IllegalArgumentException that names the setting
     */
    public IngressLimits {
        if (bodyBytes < 1) {
            throw new IllegalArgumentException(
                    Setting.MAX_BODY + ": expected 1 or more bytes, found " + bodyBytes);
        }
        if (connectionsPerClient < 1) {
            throw new IllegalArgumentException(
                    Setting.MAX_CONNECTIONS
                            + ": expected 1 or more, found "
                            + connectionsPerClient);
        }
    }

    /** Returns a copy with another limit of the request body. */
    public IngressLimits withBodyBytes(int bytes) {
        return new IngressLimits(
                bytes, connectionsPerClient, bodyMemoryBytes, timeouts, memoryTimeout);
    }

    /** Returns a copy with another limit of connections per address. */
    public IngressLimits withConnectionsPerClient(int connections) {
        return new IngressLimits(bodyBytes, connections, bodyMemoryBytes, timeouts, memoryTimeout);
    }

    /** Returns a copy with other memory for all bodies together. */
    public IngressLimits withBodyMemoryBytes(long bytes) {
        return new IngressLimits(bodyBytes, connectionsPerClient, bytes, timeouts, memoryTimeout);
    }

    /** Returns a copy with other limits on slow clients. */
    public IngressLimits withTimeouts(ClientTimeouts other) {
        return new IngressLimits(
                bodyBytes, connectionsPerClient, bodyMemoryBytes, other, memoryTimeout);
    }

    /** Returns a copy with another wait limit of requests. */
    public IngressLimits withMemoryTimeout(Duration other) {
        return new IngressLimits(bodyBytes, connectionsPerClient, bodyMemoryBytes, timeouts, other);
    }
}
