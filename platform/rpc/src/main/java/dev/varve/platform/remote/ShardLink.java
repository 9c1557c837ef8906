package dev.varve.platform.remote;

import dev.varve.platform.shard.RemoteShardProcess;
import dev.varve.platform.wire.WireChannel;

import java.util.Optional;

/**
 * The way to a shard process. At most one channel at a time; for one thread, but for {@link
 * #close}.
 */
public interface ShardLink extends AutoCloseable {
    /**
     * Reaches the process, starting it first if that is this link's business. What was there before
     * is ended.
     *
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE with the reason, as far as it is
     *     known
     */
    WireChannel open();

    /** Whether the process runs on this machine. */
    boolean sameHost();

    /** The process as it is known at the moment. Any thread may ask. */
    default RemoteShardProcess peer() {
        return new RemoteShardProcess(false, Optional.empty(), Optional.empty());
    }

    /** Why the process ended, if this link knows: exit status, last words. */
    Optional<String> lastWords();

    /** Ends the process if it is this link's; waits for it. */
    @Override
    void close();
}
