package dev.varve.platform.shard;

import java.util.Objects;
import java.util.Optional;

/**
 * The process of a shard that does not run in this process.
 *
 * @param own whether this process started it and restarts it
 * @param address address with its transport at which other processes reach it
 * @param pid its process id, if known
 */
public record RemoteProcessInfo(boolean own, Optional<String> address, Optional<Long> pid) {
    /** Checks that nothing is missing. */
    public RemoteProcessInfo {
        Objects.requireNonNull(address);
        Objects.requireNonNull(pid);
    }
}
