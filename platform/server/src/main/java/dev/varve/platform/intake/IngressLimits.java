package dev.varve.platform.intake;

import dev.varve.platform.setting.Setting;

import java.time.Duration;

/**
 * What clients may take of the server.
 *
 * @param bodyBytes largest request body
 * @param connectionsPerClient most connections of one address
 * @param bodyMemoryBytes memory of all bodies together, beyond the first 64 KiB of each; one of
 *     them may exceed it
 * @param pace how slow they may be
 * @param patience how long a request waits for memory before it is refused
 */
public record IngressLimits(
        int bodyBytes,
        int connectionsPerClient,
        long bodyMemoryBytes,
        ClientTimeouts pace,
        Duration patience) {
    /**
     * A prompt of a million tokens has about 4 MiB; the rest is for escapes and for histories that
     * their template leaves out.
     */
    public static final int DEFAULT_BODY_BYTES = 16 << 20;

    /** A reverse proxy is one client. */
    public static final int DEFAULT_CONNECTIONS = 1024;

    /** What bodies become takes several times their memory. */
    private static final int HEAP_SHARE = 8;

    /** For a server on a machine that does other things too. */
    public static final IngressLimits DEFAULT =
            new IngressLimits(
                    DEFAULT_BODY_BYTES,
                    DEFAULT_CONNECTIONS,
                    Runtime.getRuntime().maxMemory() / HEAP_SHARE,
                    ClientTimeouts.DEFAULT,
                    Duration.ofSeconds(30));

    /**
     * Checks what users may set.
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

    /** The same with another size of the largest request body. */
    public IngressLimits withBodyBytes(int bytes) {
        return new IngressLimits(bytes, connectionsPerClient, bodyMemoryBytes, pace, patience);
    }

    /** The same with another number of connections of one address. */
    public IngressLimits withConnectionsPerClient(int connections) {
        return new IngressLimits(bodyBytes, connections, bodyMemoryBytes, pace, patience);
    }

    /** The same with other memory for all bodies together. */
    public IngressLimits withBodyMemoryBytes(long bytes) {
        return new IngressLimits(bodyBytes, connectionsPerClient, bytes, pace, patience);
    }

    /** The same for slower or faster clients. */
    public IngressLimits withPace(ClientTimeouts other) {
        return new IngressLimits(bodyBytes, connectionsPerClient, bodyMemoryBytes, other, patience);
    }

    /** The same with another time that requests wait. */
    public IngressLimits withPatience(Duration other) {
        return new IngressLimits(bodyBytes, connectionsPerClient, bodyMemoryBytes, pace, other);
    }
}
