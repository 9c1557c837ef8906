package dev.varve.platform.handoff;

import dev.varve.api.VarveException;
import dev.varve.api.snapshot.SharedStore;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireChannel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The blocks of a prefill server as a store that is only read. Thread-safe. */
final class RemoteBlockStore implements SharedStore {
    /** Maximum bytes of the values of one reply. */
    private static final int REPLY_BYTES = 4 << 20;

    /** Maximum keys of one query. */
    private static final int MOST_KEYS = 256;

    /** Number of queries whose replies are under way. */
    private static final int PIPELINED = 4;

    private final PrefillConnection connection;

    /**
     * @param connection closed with the store
     */
    RemoteBlockStore(PrefillConnection connection) {
        this.connection = connection;
    }

    /** A query that is under way. */
    private record Pending(
            int first, HandOffMessages.Query query, CompletableFuture<Message> reply) {}

    @Override
    public void get(List<String> keys, int mostBytes, Duration limit, Values taker)
            throws IOException {
        WireChannel channel = connection.channel(limit);
        int count = Math.clamp(REPLY_BYTES / mostBytes, 1, MOST_KEYS);
        Deque<Pending> pending = new ArrayDeque<>();
        try {
            for (int next = 0; next < keys.size() || !pending.isEmpty(); ) {
                while (next < keys.size() && pending.size() < PIPELINED) {
                    HandOffMessages.Query query =
                            new HandOffMessages.Query(
                                    mostBytes,
                                    keys.subList(next, Math.min(keys.size(), next + count)));
                    // The replies before it come first: over a slow link, each has its own time.
                    Duration queued = limit.multipliedBy(pending.size() + 1L);
                    pending.add(
                            new Pending(
                                    next, query, channel.call(HandOffMessages.get(query), queued)));
                    next += query.keys().size();
                }
                if (!take(pending.removeFirst(), limit, taker)) {
                    return;
                }
            }
        } finally {
            pending.forEach(each -> each.reply().cancel(false));
        }
    }

    private static boolean take(Pending pending, Duration limit, Values taker) throws IOException {
        List<ByteBuffer> values =
                values(PrefillConnection.result(pending.reply(), limit), pending.query());
        for (int i = 0; i < values.size(); i++) {
            if (!taker.take(pending.first() + i, values.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static List<ByteBuffer> values(Message reply, HandOffMessages.Query query)
            throws IOException {
        try {
            return HandOffMessages.values(reply, query);
        } catch (VarveException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public BitSet has(List<String> keys, Duration limit) throws IOException {
        return HandOffMessages.existing(
                PrefillConnection.result(
                        connection.channel(limit).call(HandOffMessages.has(keys), limit), limit));
    }

    @Override
    public void put(String key, ByteBuffer value, Duration limit) throws IOException {
        throw readOnly();
    }

    @Override
    public void mark(String key, int bit, Duration limit) throws IOException {
        throw readOnly();
    }

    @Override
    public void touch(List<String> keys, Duration limit) {
        // The server keeps the most recently read values itself.
    }

    @Override
    public void deleteAll(String prefix, Duration limit) throws IOException {
        throw readOnly();
    }

    private static IOException readOnly() {
        return new IOException("the blocks of a prefill server are only read");
    }

    @Override
    public void ping(Duration limit) throws IOException {
        connection.channel(limit);
    }

    @Override
    public void close() {
        connection.close();
    }
}
