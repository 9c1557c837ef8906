package dev.varve.platform.handoff;

import dev.varve.platform.prefix.PrefillPeer;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;

/**
 * Messages between a decode server and a prefill server, all little-endian. Readers check every
 * length before they allocate memory.
 */
final class HandOffMessages {
    /**
     * Opens a connection. Meta: version (int), namespace (32 bytes). The reply is a {@link Report}.
     */
    static final int OPEN = Message.FIRST_TYPE + 136;

    /**
     * Computes a prompt; the reply, a {@link Report}, is sent once its blocks can be read. Payload:
     * scope (length and UTF-8), tokens, boundaries (count and ints each).
     */
    static final int PREFILL = OPEN + 1;

    /**
     * Reads values. Payload: maximum bytes of a value (int), keys (count, then length and ASCII
     * each). The reply's payload has the length and bytes of each value, in the order of the keys.
     */
    static final int GET = OPEN + 2;

    /** Like {@link #GET} without the maximum; the reply's payload is a bit set of existing keys. */
    static final int HAS = OPEN + 3;

    /** Version of these messages. */
    static final int VERSION = 1;

    /** Maximum bytes of the values of one reply. */
    static final int MOST_REPLY_BYTES = 16 << 20;

    private static final int NAMESPACE_BYTES = 32;
    private static final int MOST_KEYS = 1 << 20;
    private static final int MOST_KEY_BYTES = 256;
    private static final int MOST_SCOPE_BYTES = 1 << 16;
    private static final int MOST_TOKENS = 1 << 24;

    private HandOffMessages() {}

    /**
     * Speed and memory that a prefill server reports.
     *
     * @param millisPerToken measured prefill time of a token; empty without a measurement
     * @param capacityBytes maximum bytes of the blocks of all prompts
     */
    record Report(OptionalDouble millisPerToken, long capacityBytes) {
        Message message(int type) {
            ByteBuffer meta = buffer(Double.BYTES + Long.BYTES);
            meta.putDouble(millisPerToken.orElse(0)).putLong(capacityBytes);
            return Message.of(type, meta.flip());
        }

        static Report read(Message message) {
            return checked(
                    message.meta(),
                    meta -> {
                        double millis = meta.getDouble();
                        long bytes = meta.getLong();
                        require(Double.isFinite(millis) && millis >= 0, "prefill time", millis);
                        require(bytes >= 0, "capacity", bytes);
                        return new Report(
                                millis == 0 ? OptionalDouble.empty() : OptionalDouble.of(millis),
                                bytes);
                    });
        }
    }

    /** Keys to read, and the maximum bytes of each value. */
    record Query(int mostBytes, List<String> keys) {}

    static Message open(byte[] namespace) {
        ByteBuffer meta = buffer(Integer.BYTES + NAMESPACE_BYTES);
        return Message.of(OPEN, meta.putInt(VERSION).put(namespace).flip());
    }

    /** Returns the namespace of a decode server with the same version. */
    static byte[] namespace(Message open) {
        return checked(
                open.meta(),
                meta -> {
                    int version = meta.getInt();
                    require(version == VERSION, "version of the hand-off", version);
                    byte[] namespace = new byte[NAMESPACE_BYTES];
                    meta.get(namespace);
                    return namespace;
                });
    }

    static Message prefill(PrefillPeer.Job job) {
        byte[] scope = job.scope().name().getBytes(StandardCharsets.UTF_8);
        int[] tokens = job.tokens();
        int[] boundaries = job.boundaries();
        ByteBuffer out =
                buffer(
                        3 * Integer.BYTES
                                + scope.length
                                + Integer.BYTES * (tokens.length + boundaries.length));
        out.putInt(scope.length).put(scope);
        putAll(out, tokens);
        putAll(out, boundaries);
        return new Message(PREFILL, buffer(0), out.flip());
    }

    static PrefillPeer.Job job(Message prefill) {
        return checked(
                prefill.payload(),
                in -> {
                    byte[] scope = new byte[count(in, "scope", MOST_SCOPE_BYTES, 1)];
                    in.get(scope);
                    return new PrefillPeer.Job(
                            new CacheScope(new String(scope, StandardCharsets.UTF_8)),
                            ints(in, "tokens"),
                            ints(in, "boundaries"));
                });
    }

    private static void putAll(ByteBuffer out, int[] numbers) {
        out.putInt(numbers.length);
        Arrays.stream(numbers).forEach(out::putInt);
    }

    private static int[] ints(ByteBuffer in, String field) {
        int[] numbers = new int[count(in, field, MOST_TOKENS, Integer.BYTES)];
        Arrays.setAll(numbers, i -> in.getInt());
        return numbers;
    }

    static Message get(Query query) {
        return keys(GET, query);
    }

    static Message has(List<String> keys) {
        return keys(HAS, new Query(0, keys));
    }

    private static Message keys(int type, Query query) {
        int bytes = query.keys().stream().mapToInt(key -> Integer.BYTES + key.length()).sum();
        ByteBuffer out = buffer(2 * Integer.BYTES + bytes);
        out.putInt(query.mostBytes()).putInt(query.keys().size());
        for (String key : query.keys()) {
            out.putInt(key.length()).put(key.getBytes(StandardCharsets.US_ASCII));
        }
        return new Message(type, buffer(0), out.flip());
    }

    static Query query(Message message) {
        return checked(
                message.payload(),
                in -> {
                    int most = in.getInt();
                    int count = count(in, "keys", MOST_KEYS, Integer.BYTES);
                    require(
                            most >= 0 && (long) count * most <= MOST_REPLY_BYTES,
                            "bytes of the values",
                            (long) count * most);
                    List<String> keys = new ArrayList<>(count);
                    for (int i = 0; i < count; i++) {
                        byte[] key = new byte[count(in, "key", MOST_KEY_BYTES, 1)];
                        in.get(key);
                        keys.add(new String(key, StandardCharsets.US_ASCII));
                    }
                    return new Query(most, keys);
                });
    }

    static Message values(List<byte[]> values) {
        int bytes = values.stream().mapToInt(value -> Integer.BYTES + value.length).sum();
        ByteBuffer out = buffer(bytes);
        values.forEach(value -> out.putInt(value.length).put(value));
        return new Message(GET, buffer(0), out.flip());
    }

    /** Returns the values of a reply, whose keys the query had. */
    static List<ByteBuffer> values(Message reply, Query query) {
        return checked(
                reply.payload(),
                in -> {
                    List<ByteBuffer> values = new ArrayList<>();
                    for (int i = 0; i < query.keys().size(); i++) {
                        int length = count(in, "value", query.mostBytes() + 1, 1);
                        values.add(in.slice(in.position(), length));
                        in.position(in.position() + length);
                    }
                    return values;
                });
    }

    static Message existing(BitSet found) {
        return new Message(HAS, buffer(0), ByteBuffer.wrap(found.toByteArray()));
    }

    static BitSet existing(Message reply) {
        return BitSet.valueOf(reply.payload());
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Reads a number of elements, which must be present. */
    private static int count(ByteBuffer in, String field, int most, int elementBytes) {
        int count = in.getInt();
        require(
                count >= 0 && count <= most && (long) count * elementBytes <= in.remaining(),
                field,
                count);
        return count;
    }

    private static <T> T checked(ByteBuffer in, Function<ByteBuffer, T> reader) {
        try {
            T read = reader.apply(in);
            require(!in.hasRemaining(), "bytes behind the message", in.remaining());
            return read;
        } catch (BufferUnderflowException e) {
            throw new WireException(WireErrorCode.INVALID_REQUEST, "the message is too short");
        }
    }

    private static void require(boolean valid, String field, Object found) {
        if (!valid) {
            throw new WireException(
                    WireErrorCode.INVALID_REQUEST, field + ": found the invalid value " + found);
        }
    }
}
