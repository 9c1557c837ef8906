package dev.varve.platform.handoff;

import dev.varve.api.VarveException;
import dev.varve.api.snapshot.SharedStore;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.wire.WireChannel;
import dev.varve.platform.wire.WireOptions;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Computes prompts for decode servers, and lets them read the computed blocks. The engine of this
 * server writes its blocks to {@link #store}. Thread-safe.
 */
public final class PrefillService implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.handoff");

    private final Listener listener;
    private final WireOptions options;
    private final byte[] namespace;
    private final HandOffStore store;
    private final Set<WireChannel> channels = ConcurrentHashMap.newKeySet();
    private volatile Optional<Supplier<Engine>> engine = Optional.empty();
    private volatile boolean closed;

    /** Measured prefill time of a token in milliseconds, 0 without a measurement. */
    private double millisPerToken;

    private PrefillService(
            Listener listener, WireOptions options, byte[] namespace, HandOffStore store) {
        this.listener = listener;
        this.options = options;
        this.namespace = namespace.clone();
        this.store = store;
    }

    /**
     * Accepts connections; prompts are refused until {@link #start}.
     *
     * @param listener closed with the service
     * @param namespace identifies the model and every other setting that changes the computed
     *     values
     * @param storeBytes maximum bytes of computed blocks
     */
    public static PrefillService open(
            Listener listener, WireOptions options, byte[] namespace, long storeBytes) {
        PrefillService service =
                new PrefillService(listener, options, namespace, new HandOffStore(storeBytes));
        Thread.ofVirtual().name("varve-hand-off-accept").start(service::accept);
        LOG.log(
                System.Logger.Level.INFO,
                "computing prompts for other servers at {0}",
                listener.address());
        return service;
    }

    /** Full address of the listener. */
    public String address() {
        return listener.address();
    }

    /** Store to which the engine writes its blocks; the caller closes it after the engine. */
    public SharedStore store() {
        return store;
    }

    /** Accepts prompts from now on, for an engine that is requested at the first one. */
    public void start(Supplier<Engine> computing) {
        engine = Optional.of(computing);
    }

    private void accept() {
        while (!closed) {
            try {
                Connection connection = listener.accept();
                Thread.ofVirtual().name("varve-hand-off").start(() -> serve(connection));
            } catch (IOException e) {
                if (!closed) {
                    LOG.log(
                            System.Logger.Level.ERROR,
                            "other servers cannot connect any more: {0}",
                            e.getMessage());
                }
                return;
            }
        }
    }

    private void serve(Connection connection) {
        PrefillSession session = new PrefillSession(this, connection.peer());
        try (WireChannel channel = WireChannel.accept(connection, options, session)) {
            channels.add(channel);
            if (!closed) {
                channel.lost().join();
            }
            channels.remove(channel);
        } catch (VarveException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the connection of {0} was rejected: {1}",
                    connection.peer(),
                    e.getMessage());
        } finally {
            session.close();
        }
    }

    boolean isNamespace(byte[] other) {
        return Arrays.equals(namespace, other);
    }

    HandOffStore blocks() {
        return store;
    }

    /** Returns the engine; empty while the model is loaded. */
    Optional<Engine> engine() {
        return engine.map(Supplier::get);
    }

    /** Records the prefill time of a prompt; few tokens measure the overhead of steps. */
    synchronized void computed(int tokens, double millis) {
        if (tokens >= PrefillSession.LEAST_MEASURED && millis > 0) {
            double one = millis / tokens;
            millisPerToken = millisPerToken == 0 ? one : (3 * millisPerToken + one) / 4;
        }
    }

    synchronized HandOffMessages.Report report() {
        return new HandOffMessages.Report(
                millisPerToken == 0 ? OptionalDouble.empty() : OptionalDouble.of(millisPerToken),
                store.capacity());
    }

    /** Ends all connections. */
    @Override
    public void close() {
        closed = true;
        listener.close();
        channels.forEach(WireChannel::close);
    }
}
