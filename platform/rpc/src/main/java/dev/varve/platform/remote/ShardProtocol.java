package dev.varve.platform.remote;

import dev.varve.platform.wire.WireOptions;

import java.time.Duration;

/** What servers and shard processes agree on about their connection. */
public final class ShardProtocol {
    /**
     * Rows of logits of a whole chunk may travel, which are large; nothing is held before it comes.
     */
    private static final long BYTE_CREDIT = 512L << 20;

    private static final int REQUEST_CREDIT = 16;
    private static final Duration HEARTBEAT = Duration.ofMillis(500);

    /** Patient enough for a machine whose cores are all computing. */
    private static final int MISSES = 6;

    private ShardProtocol() {}

    /** How either side runs its end of the connection. */
    public static WireOptions wireOptions(String role) {
        return WireOptions.defaults()
                .withCredit(BYTE_CREDIT, REQUEST_CREDIT)
                .withHeartbeat(HEARTBEAT, MISSES)
                .withIdentity(role, "varve " + version());
    }

    private static String version() {
        String version = ShardProtocol.class.getPackage().getImplementationVersion();
        return version == null ? "unknown" : version;
    }
}
