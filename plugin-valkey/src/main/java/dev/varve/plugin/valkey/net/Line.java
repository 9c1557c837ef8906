package dev.varve.plugin.valkey.net;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A connection that is opened on demand, and abandoned after a failure: the next call opens another
 * one. It never reconnects by itself, since a connection whose other end vanished may appear intact
 * for many minutes.
 */
final class Line implements AutoCloseable {
    private final StoreClient client;
    private final String shown;
    private Optional<CompletableFuture<StatefulRedisConnection<String, ByteBuffer>>> connection =
            Optional.empty();
    private boolean closed;

    /** An operation on a connection. */
    @FunctionalInterface
    interface Task {
        void run(Call call) throws IOException, InterruptedException;
    }

    /**
     * @param shown the store's address for people
     */
    Line(StoreClient client, String shown) {
        this.client = client;
        this.shown = shown;
    }

    /** One use of a connection, with a time limit. */
    static final class Call {
        private final long limit;
        private Optional<RedisAsyncCommands<String, ByteBuffer>> commands = Optional.empty();
        private long end;

        private Call(Duration limit) {
            this.limit = limit.toNanos();
            restart();
        }

        RedisAsyncCommands<String, ByteBuffer> commands() {
            return commands.orElseThrow();
        }

        /** Restarts the time limit for the next reply. */
        void restart() {
            end = System.nanoTime() + limit;
        }

        <T> T await(Future<T> asked) throws IOException, InterruptedException {
            try {
                return asked.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                throw new IOException("no response within " + limit / 1_000_000 + " ms", e);
            } catch (CancellationException e) {
                throw new IOException("the connection was closed", e);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RedisCommandExecutionException refusal) {
                    throw refusal;
                }
                throw new IOException(reason(e), e.getCause());
            }
        }

        /**
         * Returns the message of the root cause, which is more specific than those of its wrappers.
         */
        private static String reason(ExecutionException failure) {
            Throwable cause = failure;
            while (cause.getCause() != null && cause.getCause() != cause) {
                cause = cause.getCause();
            }
            return cause.getMessage() == null ? cause.toString() : cause.getMessage();
        }
    }

    /** Runs an operation within a limit, or abandons the connection. */
    void call(Duration limit, Task work) throws IOException {
        CompletableFuture<StatefulRedisConnection<String, ByteBuffer>> used = connection();
        Call call = new Call(limit);
        try {
            call.commands = Optional.of(call.await(used).async());
            work.run(call);
        } catch (RedisCommandExecutionException e) {
            // The store replied, so the connection is intact.
            throw new IOException(shown + ": " + e.getMessage(), e);
        } catch (IOException e) {
            disconnect(used);
            throw new IOException(shown + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            disconnect(used);
            Thread.currentThread().interrupt();
            throw new IOException(shown + ": interrupted", e);
        } catch (RuntimeException e) {
            disconnect(used);
            throw new IOException(shown + ": " + e.getMessage(), e);
        }
    }

    private synchronized CompletableFuture<StatefulRedisConnection<String, ByteBuffer>>
            connection() {
        if (closed) {
            return CompletableFuture.failedFuture(new IOException("the store is closed"));
        }
        if (connection.filter(Line::isOfUse).isEmpty()) {
            connection = Optional.of(client.connect());
        }
        return connection.get();
    }

    private static boolean isOfUse(
            CompletableFuture<StatefulRedisConnection<String, ByteBuffer>> known) {
        return !known.isDone() || !known.isCompletedExceptionally() && known.join().isOpen();
    }

    private synchronized void disconnect(
            CompletableFuture<StatefulRedisConnection<String, ByteBuffer>> left) {
        if (connection.filter(known -> known == left).isPresent()) {
            connection = Optional.empty();
        }
        left.whenComplete(
                (known, failure) -> {
                    if (known != null) {
                        known.closeAsync();
                    }
                });
    }

    @Override
    public void close() {
        Optional<CompletableFuture<StatefulRedisConnection<String, ByteBuffer>>> known;
        synchronized (this) {
            closed = true;
            known = connection;
        }
        try {
            known.ifPresent(this::disconnect);
        } catch (CompletionException e) {
            // It is closed either way.
            return;
        }
    }
}
