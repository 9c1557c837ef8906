package dev.varve.platform.prefix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Await;

import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.MapValue;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Rebuilds from events what a server has, as a router does. */
final class Subscriber implements AutoCloseable {
    private static final byte[] END = {-1, -1, -1, -1, -1, -1, -1, -1};

    private final ZContext context = new ZContext();
    private final ZMQ.Socket events = context.createSocket(SocketType.SUB);
    private final ZMQ.Socket replay = context.createSocket(SocketType.DEALER);
    private final String topic;
    private final Map<Place, Block> index = new HashMap<>();
    private long next;
    private int heard;
    private int replays;

    /** Location of a block: its hash and its medium. */
    record Place(long hash, String medium) {}

    /** Content of a block as its event reports it. */
    record Block(Optional<Long> parent, List<Integer> tokens) {}

    Subscriber(String topic, int port, int replayPort) {
        this.topic = topic;
        events.subscribe(topic.getBytes(StandardCharsets.UTF_8));
        events.setRcvHWM(0);
        replay.setRcvHWM(0);
        events.setReceiveTimeOut(100);
        replay.setReceiveTimeOut((int) Await.LIMIT.toMillis());
        events.connect("tcp://127.0.0.1:" + port);
        replay.connect("tcp://127.0.0.1:" + replayPort);
    }

    Map<Place, Block> index() {
        return index;
    }

    /** Batches that came without being asked for. */
    int heard() {
        return heard;
    }

    /** How often something was missing. */
    int replays() {
        return replays;
    }

    /**
     * Takes in what comes until something is so.
     *
     * @param loses whether the message that comes next gets lost
     */
    void hearUntil(BooleanSupplier done, BooleanSupplier loses) throws IOException {
        long end = System.nanoTime() + Await.LIMIT.toNanos();
        while (!done.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "not heard in time; next is " + next);
            byte[] topic = events.recv();
            if (topic == null) {
                // The subscriber misses all messages from before its subscription.
                replayFrom(next);
                continue;
            }
            byte[] number = events.recv();
            byte[] payload = events.recv();
            assertFalse(events.hasReceiveMore());
            assertEquals(Long.BYTES, number.length);
            if (!loses.getAsBoolean()) {
                heard++;
                take(ByteBuffer.wrap(number).getLong(), payload);
            }
        }
    }

    private void take(long number, byte[] payload) throws IOException {
        if (number > next) {
            replayFrom(next);
        }
        if (number == next) {
            apply(payload);
        }
    }

    /** Asks for what was missed. */
    void replayFrom(long first) throws IOException {
        replays++;
        replay.sendMore(new byte[0]);
        replay.send(ByteBuffer.allocate(Long.BYTES).putLong(first).array());
        while (true) {
            byte[] delimiter = replay.recv();
            assertNotNull(delimiter, "no answer");
            byte[] of = replay.recv();
            byte[] number = replay.recv();
            byte[] payload = replay.recv();
            assertFalse(replay.hasReceiveMore());
            if (payload.length == 0) {
                assertEquals(0, of.length);
                assertArrayEquals(END, number);
                return;
            }
            assertTrue(new String(of, StandardCharsets.UTF_8).startsWith(topic));
            if (ByteBuffer.wrap(number).getLong() == next) {
                apply(payload);
            }
        }
    }

    private void apply(byte[] payload) throws IOException {
        next++;
        try (MessageUnpacker from = MessagePack.newDefaultUnpacker(payload)) {
            List<Value> batch = from.unpackValue().asArrayValue().list();
            assertEquals(3, batch.size());
            assertTrue(batch.get(0).isFloatValue());
            assertTrue(batch.get(2).isNilValue());
            for (Value event : batch.get(1).asArrayValue()) {
                apply(event.asMapValue());
            }
            assertFalse(from.hasNext());
        }
    }

    private static Value field(MapValue event, String name) {
        return event.map().get(ValueFactory.newString(name));
    }

    private void apply(MapValue event) {
        String type = field(event, "type").asStringValue().asString();
        if (type.equals("AllBlocksCleared")) {
            index.clear();
            return;
        }
        Place place =
                new Place(
                        field(event, "block_hashes")
                                .asArrayValue()
                                .get(0)
                                .asIntegerValue()
                                .asLong(),
                        field(event, "medium").asStringValue().asString());
        if (type.equals("BlockRemoved")) {
            assertNotNull(index.remove(place), "removed what was not there");
            return;
        }
        assertEquals("BlockStored", type);
        assertEquals(CachedBlock.TOKENS, field(event, "block_size").asIntegerValue().asInt());
        assertTrue(field(event, "lora_id").isNilValue());
        assertTrue(field(event, "lora_name").isNilValue());
        Value parent = field(event, "parent_block_hash");
        List<Integer> tokens =
                field(event, "token_ids").asArrayValue().list().stream()
                        .map(token -> token.asIntegerValue().asInt())
                        .toList();
        Optional<Long> before =
                parent.isNilValue()
                        ? Optional.empty()
                        : Optional.of(parent.asIntegerValue().asLong());
        before.ifPresent(
                hash ->
                        assertTrue(
                                index.containsKey(new Place(hash, place.medium())),
                                "its parent was not told before"));
        index.put(place, new Block(before, tokens));
    }

    @Override
    public void close() {
        context.close();
    }
}
