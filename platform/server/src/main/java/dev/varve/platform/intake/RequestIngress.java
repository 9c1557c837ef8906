package dev.varve.platform.intake;

import dev.varve.platform.setting.Setting;

import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Request;

import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Accepts requests within the limits of a server. Thread-safe.
 *
 * <p>Owned by the server, which adds {@link #connections} to its connectors and closes this when it
 * has stopped.
 */
public final class RequestIngress implements AutoCloseable {
    /** Interval of the client checks. */
    private static final long WATCH_MILLIS = 250;

    private final IngressLimits limits;
    private final ConnectionGuard connections;
    private final MemoryBudget memory;
    private final Set<BodyReader> readers = ConcurrentHashMap.newKeySet();
    private final RequestWorkers workers;
    private final ScheduledExecutorService watch =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("varve-intake").factory());

    /** Starts monitoring clients. */
    public RequestIngress(IngressLimits limits) {
        this.limits = limits;
        connections = new ConnectionGuard(limits);
        memory = new MemoryBudget(limits.bodyMemoryBytes());
        workers = new RequestWorkers(Runtime.getRuntime().availableProcessors());
        watch.scheduleWithFixedDelay(
                // The monitor continues after any failure.
                new ExceptionLoggingTask(this::watch),
                WATCH_MILLIS,
                WATCH_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    /** Returns a listener that counts and monitors the connections of a connector. */
    public Connection.Listener connections() {
        return connections;
    }

    /** Registers a request; must be called first for each request. */
    public void begin(Request request) {
        connections
                .find(request.getConnectionMetaData().getConnection())
                .ifPresent(
                        connection -> {
                            connection.begin();
                            Request.addCompletionListener(request, failure -> connection.end());
                        });
    }

    /**
     * Whether the client of a request already had the allowed number of connections. Such a
     * connection should end with its response, to free its place for other connections.
     */
    public boolean isInExcess(Request request) {
        return connections
                .find(request.getConnectionMetaData().getConnection())
                .map(ClientConnection::isInExcess)
                .orElse(false);
    }

    /**
     * Throws if the client of a request has more connections than allowed.
     *
     * @throws IngressException with status 503
     */
    public void requireMemory(Request request) {
        if (isInExcess(request)) {
            throw new IngressException(
                    503,
                    "too_many_connections",
                    "this address has more than "
                            + limits.connectionsPerClient()
                            + " connections ("
                            + Setting.MAX_CONNECTIONS
                            + ")");
        }
    }

    /**
     * Reads the body of a request without blocking a thread. {@code whenDone} is called once with
     * the outcome, on any thread, and must not block. The memory of the body counts until it is
     * released, or the request is complete.
     */
    public void read(Request request, Consumer<BodyOutcome> whenDone) {
        BodyReader reader = new BodyReader(request, limits, memory, whenDone);
        readers.add(reader);
        Request.addCompletionListener(
                request,
                failure -> {
                    readers.remove(reader);
                    reader.release();
                });
        reader.start();
    }

    /**
     * Runs the work for a body on a worker thread and waits for it.
     *
     * @param owner owner of the work: owners get equal shares of the time, by {@code equals}
     * @throws IngressException if memory is insufficient, or the server stops
     */
    public <T> T work(Object owner, int bodyBytes, Callable<T> work) throws InterruptedException {
        return workers.run(owner, bodyBytes, work);
    }

    private void watch() {
        new ExceptionLoggingTask(connections::closeStalled).run();
        readers.forEach(reader -> new ExceptionLoggingTask(reader::check).run());
    }

    @Override
    public void close() {
        watch.shutdownNow();
        workers.close();
    }
}
