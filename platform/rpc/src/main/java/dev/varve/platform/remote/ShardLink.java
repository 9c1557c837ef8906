package dev.varve.platform.remote;

import dev.varve.platform.shard.RemoteProcessInfo;
import dev.varve.platform.wire.WireChannel;

import java.util.Optional;

/**
 * Link to a shard process. Has at most one channel at a time. For one thread, except {@link
 * #close}.
 */
public interface ShardLink extends AutoCloseable {
    /**
     * Connects to the process; starts it first if this link owns it. Ends the previous channel and
     * process.
     *
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE with the reason, if it is known
     */
    WireChannel open();

    /** Whether the process runs on this machine. */
    boolean sameHost();

    /** Returns the current process. Callable from any thread. */
    default RemoteProcessInfo peer() {
        return new RemoteProcessInfo(false, Optional.empty(), Optional.empty());
    }

    /** Returns why the process ended, if this link knows: exit status, last lines. */
    Optional<String> lastWords();

    /** Ends the process if this link owns it, and waits for its end. */
    @Override
    void close();
}
