package dev.varve.platform.shard;

import java.util.Objects;
import java.util.Optional;

/**
 * The process in which a shard computes, if it is not this one.
 *
 * @param own whether this process started it, and starts it again
 * @param address where others reach it as well, with the transport
 * @param pid its number, as far as this process knows it
 */
public record RemoteShardProcess(boolean own, Optional<String> address, Optional<Long> pid) {
    /** Checks that nothing is missing. */
    public RemoteShardProcess {
        Objects.requireNonNull(address);
        Objects.requireNonNull(pid);
    }
}
