package dev.varve.platform.handoff;

import dev.varve.platform.prefix.HandOffPeers;
import dev.varve.platform.remote.ShardWireOptions;
import dev.varve.platform.wire.WireOptions;

/** Connection parameters that decode and prefill servers share. */
public final class HandOffWireOptions {
    private static final long BYTE_CREDIT = 512L << 20;

    /**
     * A waiting prompt is a request of the connection until it is computed. As many others remain
     * for reading blocks, which would otherwise wait for all prompts.
     */
    private static final int REQUEST_CREDIT = 2 * HandOffPeers.MOST_JOBS;

    private HandOffWireOptions() {}

    /** Returns the options for one end of the connection, without a token. */
    public static WireOptions of(String role) {
        return ShardWireOptions.wireOptions(role).withCredit(BYTE_CREDIT, REQUEST_CREDIT);
    }
}
