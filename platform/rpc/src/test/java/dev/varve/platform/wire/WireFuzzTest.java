package dev.varve.platform.wire;

import static dev.varve.platform.wire.Channels.await;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.transport.Connection;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.CRC32C;

/**
 * Damaged, cut and invented frames against a channel that serves. After each stream either the
 * channel ended with a reason, or a valid request that follows is answered correctly.
 */
class WireFuzzTest {
    private static final int FRAME = 1024;
    private static final WireOptions OPTIONS =
            Channels.options().withMaxFrameBytes(FRAME).withCredit(8192, 4);

    private static final long LAST_ID = 1_000_001;
    private static final ByteBuffer LAST_PAYLOAD = ByteBuffer.wrap(noise(2 * FRAME, 1));
    private static final ByteBuffer HELLO = conversation(new Random(0), 0, true);
    private static final ByteBuffer LAST_REQUEST = lastRequest();

    private long largestRequest;
    private boolean lastSeen;

    private static ByteBuffer lastRequest() {
        ByteBuffer out = ByteBuffer.allocate(1 << 14).order(ByteOrder.LITTLE_ENDIAN);
        request(out, LAST_ID, 2 * FRAME, 8, new Random(1));
        return out.flip();
    }

    private static byte[] noise(int bytes, long seed) {
        byte[] noise = new byte[bytes];
        new Random(seed).nextBytes(noise);
        return noise;
    }

    /** Bytes of a whole conversation: a greeting, and requests with control frames in between. */
    private static ByteBuffer conversation(Random random, int requests, boolean withHello) {
        ByteBuffer out = ByteBuffer.allocate(1 << 14).order(ByteOrder.LITTLE_ENDIAN);
        if (withHello) {
            // room for all answers, since nobody gives credit back
            control(out, ControlFrame.hello(RawPeer.hello(OPTIONS.withCredit(1 << 20, 4))));
        }
        for (int i = 0; i < requests; i++) {
            request(out, 2L * i + 1, random.nextInt(3 * FRAME), random.nextInt(40), random);
            switch (random.nextInt(5)) {
                case 0 -> control(out, ControlFrame.ping(random.nextLong()));
                case 1 -> control(out, ControlFrame.cancel(2L * i + 1));
                default -> {}
            }
        }
        return out.flip();
    }

    private static void control(ByteBuffer out, ControlFrame frame) {
        ByteBuffer meta = frame.meta().duplicate();
        FrameHeader header =
                new FrameHeader(
                        new FrameHeader.Kind(FrameHeader.LAST, frame.type(), frame.status()),
                        frame.requestId(),
                        0,
                        FrameHeader.Section.of(meta),
                        FrameHeader.Section.NONE);
        header.put(out);
        out.put(meta);
    }

    private static void request(ByteBuffer out, long id, int bytes, int fields, Random random) {
        byte[] payload = new byte[bytes];
        random.nextBytes(payload);
        ByteBuffer meta =
                ByteBuffer.allocate(8 + fields).order(ByteOrder.LITTLE_ENDIAN).putLong(0, bytes);
        int sent = 0;
        int chunk = 0;
        do {
            ByteBuffer piece = ByteBuffer.wrap(payload, sent, Math.min(FRAME, bytes - sent));
            sent += piece.remaining();
            boolean first = chunk == 0;
            int flags =
                    (first ? FrameHeader.MessageKind.REQUEST.flag() : 0)
                            | (sent == bytes ? FrameHeader.LAST : 0)
                            | (bytes > 0 ? FrameHeader.PAYLOAD_CRC : 0);
            new FrameHeader(
                            new FrameHeader.Kind(flags, first ? Channels.ECHO : FrameType.DATA, 0),
                            id,
                            chunk++,
                            first ? FrameHeader.Section.of(meta) : FrameHeader.Section.NONE,
                            FrameHeader.Section.of(piece))
                    .put(out);
            if (first) {
                out.put(meta.duplicate());
            }
            out.put(piece);
        } while (sent < bytes);
    }

    /** Changes a field of some frame and makes its header valid again. */
    private static void forge(ByteBuffer bytes, Random random) {
        int frames = 0;
        int target = random.nextInt(12);
        for (int at = 0; at + FrameHeader.BYTES <= bytes.limit(); frames++) {
            int next = at + FrameHeader.BYTES + bytes.getInt(at + 12) + bytes.getInt(at + 24);
            if (frames == target || next + FrameHeader.BYTES > bytes.limit()) {
                int field = 4 + random.nextInt(40);
                bytes.put(at + field, (byte) random.nextInt(256));
                CRC32C crc = new CRC32C();
                crc.update(bytes.array(), at, FrameHeader.BYTES - 4);
                bytes.putInt(at + FrameHeader.BYTES - 4, (int) crc.getValue());
                return;
            }
            at = next;
        }
    }

    private static void damage(ByteBuffer bytes, Random random) {
        switch (random.nextInt(6)) {
            case 0, 1 -> forge(bytes, random);
            case 2 -> {
                int bit = random.nextInt(8 * bytes.limit());
                bytes.put(bit / 8, (byte) (bytes.get(bit / 8) ^ 1 << bit % 8));
            }
            case 3 -> bytes.limit(random.nextInt(bytes.limit()));
            case 4 -> {
                int at = random.nextInt(bytes.limit());
                byte[] noise = new byte[random.nextInt(bytes.limit() - at) + 1];
                random.nextBytes(noise);
                bytes.put(at, noise);
            }
            default -> {
                // left out in the middle: what follows is valid but in the wrong place
                int at = random.nextInt(bytes.limit());
                int gap = random.nextInt(bytes.limit() - at);
                bytes.position(at + gap);
                ByteBuffer rest = bytes.slice();
                bytes.put(at, rest, 0, rest.remaining());
                bytes.position(0).limit(bytes.limit() - gap);
            }
        }
    }

    /** Returns whether the valid request at the end was answered; otherwise the reading ended. */
    private interface Attack {
        boolean run(ByteBuffer stream, String what) throws IOException;
    }

    /** Everything but the threads, so that many streams take little time. */
    @Test
    void randomBytesNeverProduceAWrongFrame() throws IOException {
        attackAll(Effort.of("varve.test.fuzz", 8_000, 100_000), this::attackReader);
    }

    @Test
    void randomBytesNeverHangAChannelOrGetAWrongResponse() throws IOException {
        attackAll(1_000, this::attackChannel);
    }

    @Test
    @Tag("nightly")
    void manyRandomStreamsNeverHangAChannelOrGetAWrongResponse() throws IOException {
        attackAll(200_000, this::attackChannel);
    }

    private void attackAll(int streams, Attack attack) throws IOException {
        int answered = 0;
        for (int seed = 0; seed < streams; seed++) {
            Random random = new Random(seed);
            ByteBuffer stream = conversation(random, 1 + random.nextInt(3), false);
            damage(stream, random);
            lastSeen = false;
            if (attack.run(stream, "seed " + seed)) {
                answered++;
            }
        }
        System.out.println(streams + " damaged streams: " + answered + " requests answered after");
        assertTrue(largestRequest <= OPTIONS.limits().byteCredit(), "largest " + largestRequest);
        assertTrue(
                answered > streams / 100 && answered < streams * 99 / 100,
                "a fuzzer with one outcome tests little: " + answered + " answered");
    }

    private boolean attackReader(ByteBuffer stream, String what) throws IOException {
        RecordedConnection connection = new RecordedConnection(stream, LAST_REQUEST.duplicate());
        WireCounters counters = new WireCounters();
        NegotiatedParameters terms =
                new NegotiatedParameters(new PeerInfo("recorded", "", ""), 2, FRAME, 1 << 20, 4);
        Map<Long, PendingCall> pending = Map.of();
        SendQueue outbox =
                new SendQueue(
                        new FrameWriter(connection, counters),
                        terms,
                        pending,
                        Optional.empty(),
                        () -> 0,
                        reason -> {
                            throw new AssertionError(what + ": " + reason);
                        });
        IncomingCalls calls =
                new IncomingCalls(OPTIONS, 1 << 20, outbox, this::serve, Runnable::run);
        MessageReceiver inbox =
                new MessageReceiver(
                        new FrameReader(connection, counters),
                        OPTIONS,
                        terms,
                        Optional.empty(),
                        pending,
                        calls,
                        outbox,
                        counters,
                        progress -> {});
        try {
            assertFalse(inbox.readAll().isBlank() && lastSeen, what);
        } catch (FrameException | EOFException e) {
            assertFalse(e.getMessage().isBlank(), what);
        } finally {
            outbox.kill();
        }
        if (lastSeen) {
            readAnswer(connection.written(), what);
        }
        return lastSeen;
    }

    private boolean attackChannel(ByteBuffer stream, String what) throws IOException {
        MemoryConnection.Pair pair = MemoryConnection.pair(1 << 14, false);
        Queue<Runnable> handling = new ConcurrentLinkedQueue<>();
        pair.client().write(HELLO.duplicate());
        try (WireChannel server =
                WireChannel.accept(pair.server(), OPTIONS, this::serve, handling::add)) {
            write(pair.client(), stream);
            write(pair.client(), LAST_REQUEST.duplicate());
            pair.client().awaitStarving();
            while (!handling.isEmpty()) {
                handling.remove().run();
            }
            if (lastSeen) {
                readAnswer(pair.client(), what);
                return true;
            }
            pair.client().closeOutput();
            assertFalse(await(server.lost()).isBlank(), what);
            return false;
        } finally {
            pair.client().close();
        }
    }

    private static void write(MemoryConnection connection, ByteBuffer bytes) {
        try {
            connection.write(bytes);
        } catch (IOException e) {
            // the channel saw enough and closed
            assertEquals("closed", e.getMessage());
        }
    }

    private void serve(Message request, CallResponder call) {
        largestRequest = Math.max(largestRequest, request.cost());
        lastSeen |= request.payload().equals(LAST_PAYLOAD);
        call.reply(request);
    }

    /** Reads whole frames until the answer to the last request is complete. */
    private static void readAnswer(Connection connection, String what) throws IOException {
        FrameReader reader = new FrameReader(connection, new WireCounters());
        ByteBuffer payload = ByteBuffer.allocate(2 * FRAME);
        while (payload.hasRemaining()) {
            FrameHeader header = reader.header(FRAME);
            reader.meta(header);
            boolean mine = header.requestId() == LAST_ID;
            reader.payload(header, mine ? payload : ByteBuffer.allocate(FRAME));
        }
        assertEquals(LAST_PAYLOAD, payload.flip(), what);
    }

    @Test
    void truncatedOrDamagedHelloIsRefused() throws IOException {
        ByteBuffer hello = conversation(new Random(0), 0, true);
        for (int bytes = 0; bytes < hello.limit(); bytes++) {
            refused(hello.duplicate().limit(bytes), "cut to " + bytes);
        }
        for (int bit = 0; bit < 8 * hello.limit(); bit += Effort.of(5, 1)) {
            byte[] bytes = new byte[hello.limit()];
            hello.get(0, bytes);
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
            refused(ByteBuffer.wrap(bytes), "bit " + bit);
        }
    }

    private static void refused(ByteBuffer greeting, String what) throws IOException {
        MemoryConnection.Pair pair = MemoryConnection.pair(1 << 14, false);
        pair.client().write(greeting);
        pair.client().closeOutput();
        try (WireChannel channel = WireChannel.accept(pair.server(), OPTIONS, Channels.ECHOES)) {
            throw new AssertionError(what + " was accepted: " + channel.peer());
        } catch (VarveException e) {
            assertFalse(e.getMessage().isBlank(), what);
        }
    }

    @Test
    void truncatedStreamEndsTheChannel() throws IOException {
        ByteBuffer stream = conversation(new Random(7), 2, true);
        int hello = FrameHeader.BYTES + stream.getInt(12);
        for (int bytes = hello;
                bytes < stream.limit();
                bytes += bytes % 97 < 60 ? Effort.of(29, 7) : Effort.of(5, 1)) {
            MemoryConnection.Pair pair = MemoryConnection.pair(1 << 14, false);
            pair.client().write(stream.duplicate().limit(bytes));
            pair.client().closeOutput();

            try (WireChannel server = WireChannel.accept(pair.server(), OPTIONS, Channels.ECHOES)) {
                assertFalse(await(server.lost()).isBlank(), "cut to " + bytes);
            }
        }
    }

    @Test
    void clientSurvivesUnrequestedResponses() throws IOException {
        for (int type : new int[] {FrameType.ERROR, FrameType.DATA, FrameType.CREDIT, 17}) {
            RawPeer peer = RawPeer.accepting(OPTIONS);
            ByteBuffer out = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);
            control(out, new ControlFrame(type, 0, 0, ByteBuffer.allocate(8)));

            peer.bytes().write(out.flip());

            String reason = await(peer.channel().lost());
            assertTrue(reason.contains("protocol broken by the other side"), reason);
            peer.close();
        }
    }

    @Test
    void peerThatIgnoresItsCreditIsDisconnected() throws IOException {
        MemoryConnection.Pair pair = MemoryConnection.pair(1 << 14, false);
        ByteBuffer stream = conversation(new Random(0), 0, true);
        pair.client().write(stream);
        ByteBuffer out = ByteBuffer.allocate(1 << 14).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 5; i++) {
            request(out, 2L * i + 1, 10, 0, new Random(i));
        }

        try (WireChannel server =
                WireChannel.accept(pair.server(), OPTIONS, (request, call) -> {})) {
            pair.client().write(out.flip());

            assertEquals(
                    "memory: protocol broken by the other side: request credit: more than 4"
                            + " requests at once",
                    await(server.lost()));
        }
    }
}
