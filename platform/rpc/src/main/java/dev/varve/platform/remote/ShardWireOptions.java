package dev.varve.platform.remote;

import dev.varve.platform.wire.WireOptions;

import java.time.Duration;

/** Connection parameters that servers and shard processes share. */
public final class ShardWireOptions {
    /**
     * Credit for rows of logits of a whole chunk, which are large; memory is allocated only when
     * they arrive.
     */
    private static final long BYTE_CREDIT = 512L << 20;

    private static final int REQUEST_CREDIT = 16;
    private static final Duration HEARTBEAT = Duration.ofMillis(500);

    /** High enough for a machine whose cores are all computing. */
    private static final int MISSES = 6;

    private ShardWireOptions() {}

    /** Returns the options for one end of the connection. */
    public static WireOptions wireOptions(String role) {
        return WireOptions.defaults()
                .withCredit(BYTE_CREDIT, REQUEST_CREDIT)
                .withHeartbeat(HEARTBEAT, MISSES)
                .withIdentity(role, "varve " + version());
    }

    private static String version() {
        String version = ShardWireOptions.class.getPackage().getImplementationVersion();
        return version == null ? "unknown" : version;
    }
}
