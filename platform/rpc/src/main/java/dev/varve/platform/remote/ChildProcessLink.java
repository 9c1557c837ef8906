package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;
import dev.varve.platform.shard.RemoteProcessInfo;
import dev.varve.platform.wire.WireChannel;
import dev.varve.platform.wire.WireOptions;

import java.util.Optional;

/**
 * Link to a shard process that this process starts: every {@link #open} starts a new process and
 * ends the previous one.
 */
public final class ChildProcessLink implements ShardLink {
    private final ShardLaunch launch;
    private final TransportProvider transport;
    private final WireOptions wireOptions;
    private volatile Optional<ShardProcess> process = Optional.empty();
    private volatile boolean closed;

    /** Creates a link that starts its process in {@link #open}. */
    public ChildProcessLink(
            ShardLaunch launch, TransportProvider transport, WireOptions wireOptions) {
        this.launch = launch;
        this.transport = transport;
        this.wireOptions = wireOptions;
    }

    @Override
    public WireChannel open() {
        process.ifPresent(ShardProcess::kill);
        ShardProcess fresh = start();
        try {
            fresh.awaitListening();
            WireOptions options = wireOptions.withToken(Optional.of(fresh.token()));
            return new ExternalProcessLink(
                            transport, fresh.address(), TransportOptions.defaults(), options)
                    .open();
        } catch (RuntimeException e) {
            fresh.kill();
            throw e;
        }
    }

    /**
     * Starts the process without holding a lock: {@link #peer} and {@link #close} must not wait for
     * a slow process start, or for a process that never listens.
     */
    private ShardProcess start() {
        requireOpen();
        ShardProcess fresh = ShardProcess.start(launch);
        process = Optional.of(fresh);
        try {
            // close() may have run before the process was stored, and then it did not end this one.
            requireOpen();
        } catch (VarveException e) {
            fresh.kill();
            throw e;
        }
        return fresh;
    }

    private void requireOpen() {
        if (closed) {
            throw new VarveException(VarveException.Kind.UNAVAILABLE, "the shard is closed");
        }
    }

    @Override
    public boolean sameHost() {
        return true;
    }

    /** Returns the process id while the process runs. */
    public Optional<Long> pid() {
        return process.map(ShardProcess::pid);
    }

    @Override
    public RemoteProcessInfo peer() {
        // No other process uses its socket folder.
        return new RemoteProcessInfo(true, Optional.empty(), pid());
    }

    @Override
    public Optional<String> lastWords() {
        return process.flatMap(ShardProcess::lastWords);
    }

    @Override
    public void close() {
        closed = true;
        process.ifPresent(ShardProcess::end);
    }
}
