package dev.varve.plugin.valkey.net;

import dev.varve.api.snapshot.SharedStore;
import dev.varve.api.snapshot.SharedStoreAddress;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.async.RedisAsyncCommands;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Future;

/**
 * A store over the Redis protocol. Reads use one connection and writes another, so that a read's
 * reply does not wait behind parts of a megabyte.
 *
 * <p>A value is read with {@code GETRANGE}, since other clients of the store may have written
 * anything under the key, of any size.
 */
final class RespStore implements SharedStore {
    /** Values that are requested ahead of their turn. */
    private static final int AHEAD = 8;

    /** Maximum keys of one command. */
    private static final int AT_ONCE = 256;

    private final StoreClient client;
    private final Line reading;
    private final Line writing;
    private final long ttlMillis;

    RespStore(SharedStoreAddress address, RedisURI target) {
        client = new StoreClient(address, target);
        reading = new Line(client, address.shown());
        writing = new Line(client, address.shown());
        ttlMillis = address.ttl().toMillis();
    }

    @Override
    public void get(List<String> keys, int mostBytes, Duration limit, Values taker)
            throws IOException {
        reading.call(
                limit,
                call -> {
                    Iterator<String> next = keys.iterator();
                    Deque<Future<ByteBuffer>> asked = new ArrayDeque<>();
                    for (int i = 0; i < keys.size(); i++) {
                        while (asked.size() < AHEAD && next.hasNext()) {
                            asked.add(call.commands().getrange(next.next(), 0, mostBytes));
                        }
                        ByteBuffer value = valueOf(call, asked.remove());
                        if (!taker.take(i, value)) {
                            asked.forEach(rest -> rest.cancel(false));
                            return;
                        }
                        call.restart();
                    }
                });
    }

    /** Treats a value that is not a string of bytes as missing. */
    private static ByteBuffer valueOf(Line.Call call, Future<ByteBuffer> asked)
            throws IOException, InterruptedException {
        try {
            return call.await(asked);
        } catch (RedisCommandExecutionException e) {
            if (e.getMessage().startsWith("WRONGTYPE")) {
                return ByteBuffer.allocate(0);
            }
            throw e;
        }
    }

    @Override
    public BitSet has(List<String> keys, Duration limit) throws IOException {
        BitSet found = new BitSet(keys.size());
        reading.call(
                limit,
                call -> {
                    List<Future<Long>> asked = new ArrayList<>(keys.size());
                    for (String key : keys) {
                        asked.add(call.commands().exists(key));
                    }
                    for (int i = 0; i < asked.size(); i++) {
                        found.set(i, call.await(asked.get(i)) > 0);
                    }
                });
        return found;
    }

    @Override
    public void put(String key, ByteBuffer value, Duration limit) throws IOException {
        writing.call(
                limit,
                call -> call.await(call.commands().set(key, value, SetArgs.Builder.px(ttlMillis))));
    }

    @Override
    public void mark(String key, int bit, Duration limit) throws IOException {
        writing.call(
                limit,
                call -> {
                    Future<Long> set = call.commands().setbit(key, bit, 1);
                    Future<Boolean> kept = call.commands().pexpire(key, ttlMillis);
                    call.await(set);
                    call.await(kept);
                });
    }

    @Override
    public void touch(List<String> keys, Duration limit) throws IOException {
        writing.call(
                limit,
                call -> {
                    List<Future<Boolean>> asked = new ArrayList<>(keys.size());
                    for (String key : keys) {
                        asked.add(call.commands().pexpire(key, ttlMillis));
                    }
                    for (Future<Boolean> each : asked) {
                        call.await(each);
                    }
                });
    }

    @Override
    public void deleteAll(String prefix, Duration limit) throws IOException {
        ScanArgs which = ScanArgs.Builder.matches(prefix + "*").limit(AT_ONCE);
        writing.call(
                limit,
                call -> {
                    RedisAsyncCommands<String, ByteBuffer> commands = call.commands();
                    KeyScanCursor<String> cursor =
                            call.await(commands.scan(ScanCursor.INITIAL, which));
                    while (true) {
                        if (!cursor.getKeys().isEmpty()) {
                            call.await(commands.unlink(cursor.getKeys().toArray(String[]::new)));
                        }
                        if (cursor.isFinished()) {
                            return;
                        }
                        call.restart();
                        cursor = call.await(commands.scan(cursor, which));
                    }
                });
    }

    @Override
    public void ping(Duration limit) throws IOException {
        for (Line line : List.of(reading, writing)) {
            line.call(limit, call -> call.await(call.commands().ping()));
        }
    }

    @Override
    public void close() {
        reading.close();
        writing.close();
        client.close();
    }
}
