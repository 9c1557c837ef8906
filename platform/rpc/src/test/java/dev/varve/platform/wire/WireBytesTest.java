package dev.varve.platform.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.VarveException.Kind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** A channel decodes the fields that its peer encoded, or refuses the message. */
class WireBytesTest {
    private static final RingNonce NONCE = RingNonce.random();
    private static final WireOptions OPTIONS =
            WireOptions.defaults().withIdentity("shard äöü", "build 7").withCredit(1 << 20, 5);

    private static Hello hello(Optional<RingFileDescriptor> shared, Optional<String> token) {
        return Hello.of(OPTIONS, shared, NONCE, token);
    }

    private static ByteBuffer bytes(Hello hello) {
        return hello.encode().order(ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void helloRoundTrips() throws FrameException {
        Hello plain = hello(Optional.empty(), Optional.empty());
        assertEquals(plain, Hello.decode(bytes(plain)));

        Hello whole =
                hello(Optional.of(new RingFileDescriptor(1L << 40, 77)), Optional.of("a secret"))
                        .withNote("no shared memory");
        Hello read = Hello.decode(bytes(whole));
        assertEquals(whole, read);
        assertEquals("a secret", read.words().token().orElseThrow());
        assertEquals("no shared memory", read.words().note());
        assertEquals(new WireLimits(4 << 20, 1 << 20, 5), read.limits());
        assertEquals(Duration.ofMillis(500), read.heartbeat());
        assertEquals(32L << 20, read.rings().bytes());
        assertEquals(Hello.Versions.OWN, read.versions());
    }

    @Test
    void secretIsNotShown() {
        Hello hello = hello(Optional.empty(), Optional.of("a secret"));
        assertFalse(hello.toString().contains("secret"), hello::toString);
        assertTrue(hello.toString().contains("build 7"), hello::toString);
        WireOptions options = OPTIONS.withToken(Optional.of("a secret"));
        assertFalse(options.toString().contains("secret"), options::toString);
        assertTrue(options.toString().contains("token=set"), options::toString);
        assertTrue(OPTIONS.toString().contains("token=none"), OPTIONS::toString);
    }

    @Test
    void helloOfAnotherLengthIsRefused() {
        byte[] whole = new byte[bytes(hello(Optional.empty(), Optional.empty())).remaining()];
        bytes(hello(Optional.empty(), Optional.empty())).get(whole);
        for (int length = 0; length < whole.length; length++) {
            ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(whole, length));
            assertThrows(
                    FrameException.class,
                    () -> Hello.decode(cut.order(ByteOrder.LITTLE_ENDIAN)),
                    length + " bytes");
        }
        ByteBuffer longer = ByteBuffer.wrap(Arrays.copyOf(whole, whole.length + 1));
        FrameException thrown =
                assertThrows(
                        FrameException.class,
                        () -> Hello.decode(longer.order(ByteOrder.LITTLE_ENDIAN)));
        assertTrue(thrown.getMessage().contains("1 bytes too many"), thrown.getMessage());
    }

    /** Largest frame, byte credit and request credit. */
    @ParameterizedTest
    @CsvSource({
        "1024, 1024, 1, true",
        "1023, 1024, 1, false",
        "1024, 1023, 1, false",
        "1024, 1024, 0, false",
        "-1, 1024, 1, false"
    })
    void limitsBelowAFrameAreRefused(int frame, long credit, int requests, boolean taken)
            throws FrameException {
        ByteBuffer bytes = bytes(hello(Optional.empty(), Optional.empty()));
        bytes.putInt(4, frame).putLong(8, credit).putInt(16, requests);
        if (taken) {
            assertEquals(new WireLimits(frame, credit, requests), Hello.decode(bytes).limits());
        } else {
            FrameException thrown = assertThrows(FrameException.class, () -> Hello.decode(bytes));
            assertTrue(thrown.getMessage().contains(String.valueOf(frame)), thrown.getMessage());
        }
    }

    @Test
    void noteIsTruncated() throws FrameException {
        Hello hello = hello(Optional.empty(), Optional.empty());

        assertEquals("x".repeat(1024), hello.withNote("x".repeat(1024)).words().note());
        Hello cut = hello.withNote("€".repeat(5000));
        assertEquals("€".repeat(1024), Hello.decode(bytes(cut)).words().note());
        assertTrue(bytes(cut).remaining() <= Hello.MAX_BYTES);
    }

    @Test
    void messagePrefixRoundTrips() throws FrameException {
        RingSlot slot = new RingSlot(1L << 40, 3, -5);
        ByteBuffer shared = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        MessagePrefix.put(shared, 1L << 50, slot);
        assertEquals(MessagePrefix.bytes(true), shared.position());
        assertEquals(new MessagePrefix(1L << 50, slot), MessagePrefix.read(shared.flip(), true));

        ByteBuffer stream = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        MessagePrefix.put(stream, 0);
        assertEquals(MessagePrefix.bytes(false), stream.position());
        assertEquals(new MessagePrefix(0, RingSlot.NONE), MessagePrefix.read(stream.flip(), false));
    }

    @Test
    void invalidMessagePrefixIsRefused() {
        ByteBuffer prefix = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN);
        assertThrows(
                FrameException.class, () -> MessagePrefix.read(prefix.duplicate().limit(7), false));
        assertThrows(
                FrameException.class, () -> MessagePrefix.read(prefix.duplicate().limit(31), true));
        prefix.putLong(0, -1);
        assertThrows(FrameException.class, () -> MessagePrefix.read(prefix.duplicate(), false));
        ByteBuffer reserved = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN);
        reserved.putInt(28, 1);
        assertThrows(FrameException.class, () -> MessagePrefix.read(reserved, true));
    }

    @Test
    void ringRecordRoundTrips() {
        RingRecordHeader record = new RingRecordHeader(1, 2, 1L << 33, -4);
        ByteBuffer ring = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);

        record.put(ring, 128);

        assertEquals(record, RingRecordHeader.read(ring, 128));
        assertEquals(0, ring.getLong(120));
    }

    @ParameterizedTest
    @CsvSource({"0, 64", "1, 128", "64, 128", "65, 192", "4096, 4160"})
    void recordSizeIsItsHeaderAndWholeSteps(long length, long bytes) {
        assertEquals(bytes, RingRecordHeader.bytes(length));
    }

    /** A record never wraps: it begins anew where too little is left. */
    @ParameterizedTest
    @CsvSource({
        "0, 512, 0",
        "64, 512, 512",
        "64, 448, 64",
        "448, 64, 448",
        "448, 128, 512",
        "512, 512, 512",
        "1088, 448, 1088",
        "1088, 512, 1536"
    })
    void recordThatDoesNotFitBeforeTheEndStartsAtTheBeginning(
            long position, long bytes, long expected) {
        assertEquals(expected, RingRecordHeader.start(position, bytes, 512));
    }

    @Test
    void ringMarkIsRandomAndRoundTrips() {
        assertEquals(NONCE, RingNonce.read(ByteBuffer.wrap(NONCE.bytes())));
        assertEquals(RingNonce.BYTES, NONCE.bytes().length);
        assertNotEquals(NONCE, RingNonce.random());
        assertArrayEquals(new byte[16], RingNonce.NONE.bytes());
        assertEquals(
                "/proc/12/fd/7",
                new RingFileDescriptor(12, 7).path().toString().replace('\\', '/'));
    }

    @Test
    void humanReadableTextIsTruncatedAndCannotForgeLines() {
        assertEquals("a b", WireText.decode(WireText.encode("a\nb")));
        assertEquals("ü €", WireText.decode(WireText.encode("ü €")));
        assertEquals(4096, WireText.decode(WireText.encode("x".repeat(5000))).length());
        assertEquals(4096, WireText.decode(WireText.encode("x".repeat(4096))).length());
        assertEquals("\ufffd", WireText.decode(ByteBuffer.wrap(new byte[] {(byte) 0xff})));
    }

    @ParameterizedTest
    @EnumSource
    void everyCodeHasAUniqueNumber(WireErrorCode code) throws FrameException {
        assertEquals(code, WireErrorCode.of(code.number()));
        Set<Integer> numbers = new HashSet<>();
        for (WireErrorCode each : WireErrorCode.values()) {
            assertTrue(numbers.add(each.number()));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 16, 1000})
    void unknownCodeIsRefused(int number) {
        FrameException thrown = assertThrows(FrameException.class, () -> WireErrorCode.of(number));
        assertTrue(thrown.getMessage().contains(String.valueOf(number)), thrown.getMessage());
    }

    @ParameterizedTest
    @EnumSource
    void failureKeepsItsKindOnTheWire(Kind kind) {
        WireException told = WireException.of(new VarveException(kind, "what happened"));

        assertEquals(kind, told.kind());
        assertEquals(kind, told.code().kind());
        assertEquals("what happened", told.getMessage());
        assertEquals(kind == Kind.OVERLOADED, told.retry() == WireException.Retry.WORTHWHILE);
    }

    @Test
    void unexpectedFailureIsReportedByItsClassOnly() {
        WireException told = WireException.of(new IllegalStateException("a secret"));

        assertEquals(WireErrorCode.INTERNAL, told.code());
        assertEquals("internal error (IllegalStateException)", told.getMessage());
        WireException known = new WireException(WireErrorCode.DEADLINE, "late");
        assertEquals(known, WireException.of(known));
    }

    @Test
    void errorSaysWhetherToRetry() {
        WireException later =
                new WireException(
                        WireErrorCode.OVERLOADED, WireException.Retry.WORTHWHILE, "later");
        ControlFrame frame = ControlFrame.error(9, later);

        assertEquals(FrameType.ERROR, frame.type());
        assertEquals(WireErrorCode.OVERLOADED.number(), frame.status());
        assertEquals(9, frame.requestId());
        assertEquals(1, frame.meta().get(0));
        assertEquals("later", WireText.decode(frame.meta().slice(1, 5)));
        ControlFrame never =
                ControlFrame.error(9, new WireException(WireErrorCode.INVALID_REQUEST, "never"));
        assertEquals(0, never.meta().get(0));
    }

    @Test
    void controlFramesCarryTheirNumbers() {
        ByteBuffer pong = ControlFrame.pong(7, 1L << 40).meta().order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(7, pong.getLong());
        assertEquals(1L << 40, pong.getLong());
        assertFalse(pong.hasRemaining());
        ControlFrame cancel = ControlFrame.cancel(5);
        assertEquals(5, cancel.requestId());
        assertEquals(0, cancel.meta().remaining());
        assertEquals(3, ControlFrame.credit(3).meta().order(ByteOrder.LITTLE_ENDIAN).getLong());
        assertEquals("bye", WireText.decode(ControlFrame.goodbye("bye").meta()));
    }

    @Test
    void deadlineIsPositive() {
        assertThrows(IllegalArgumentException.class, () -> Deadline.within(Duration.ZERO));
        assertThrows(
                IllegalArgumentException.class,
                () -> Deadline.withoutProgress(Duration.ofMillis(-1)));
        assertEquals(
                new Deadline(Duration.ofNanos(1), Deadline.StartEvent.REQUEST),
                Deadline.within(Duration.ofNanos(1)));
        assertEquals(
                Deadline.StartEvent.PROGRESS,
                Deadline.withoutProgress(Duration.ofMillis(1)).since());
    }

    @Test
    void invalidOptionsAreRefusedWithTheirBounds() {
        WireOptions usual = WireOptions.defaults();
        refused("largest frame", "1023", () -> usual.withMaxFrameBytes(1023));
        refused("largest frame", "67108864", () -> usual.withMaxFrameBytes((64 << 20) + 1));
        refused("byte credit", "1023", () -> usual.withCredit(1023, 1));
        refused("request credit", "0", () -> usual.withCredit(1024, 0));
        refused("request credit", "65537", () -> usual.withCredit(1024, 65537));
        refused("missed pings", "0", () -> usual.withHeartbeat(Duration.ofMillis(1), 0));
        refused("heartbeat", "0", () -> usual.withHeartbeat(Duration.ofNanos(1), 1));
        refused("handshake", "3600001", () -> usual.withHandshakeLimit(Duration.ofMillis(3600001)));
        refused(
                "ring bytes",
                String.valueOf(RingFile.MIN_RING_BYTES - 1),
                () -> usual.withSharedMemory(SharedMemoryMode.AUTO, RingFile.MIN_RING_BYTES - 1));
        refused("role", "1024", () -> usual.withIdentity("x".repeat(1025), ""));
        refused("build id", "1024", () -> usual.withIdentity("", "x".repeat(1025)));
        refused("token", "1024", () -> usual.withToken(Optional.of("x".repeat(1025))));
        // At the bounds themselves they are taken.
        usual.withMaxFrameBytes(1024)
                .withMaxFrameBytes(64 << 20)
                .withCredit(1024, 65536)
                .withCredit(1L << 30, 1)
                .withHeartbeat(Duration.ofMillis(1), 1000)
                .withHandshakeLimit(Duration.ofHours(1))
                .withSharedMemory(SharedMemoryMode.AUTO, RingFile.MIN_RING_BYTES)
                .withSharedMemory(SharedMemoryMode.AUTO, RingFile.MAX_RING_BYTES)
                .withIdentity("x".repeat(1024), "y".repeat(1024))
                .withToken(Optional.of("x".repeat(1024)));
    }

    private static void refused(String what, String number, Executable making) {
        String message = assertThrows(IllegalArgumentException.class, making).getMessage();
        assertTrue(message.contains(what), message);
        assertTrue(message.contains(number), message);
    }

    @Test
    void messageHasAUniqueTypeAndSmallMetadata() {
        assertThrows(IllegalArgumentException.class, () -> Message.of(63));
        assertThrows(IllegalArgumentException.class, () -> Message.of(65536));
        assertEquals(64, Message.of(64).type());
        assertEquals(65535, Message.of(65535).type());
        ByteBuffer most = ByteBuffer.allocate(Message.MAX_META_BYTES);
        assertEquals(Message.MAX_META_BYTES, Message.of(64, most).meta().remaining());
        assertThrows(
                IllegalArgumentException.class,
                () -> Message.of(64, ByteBuffer.allocate(Message.MAX_META_BYTES + 1)));
        ByteBuffer some = ByteBuffer.wrap(new byte[] {1, 2, 3, 4}).position(1).limit(3);
        Message message = Message.of(64, some);
        assertEquals(ByteBuffer.wrap(new byte[] {2, 3}), message.meta());
        message.meta().get();
        assertEquals(2, message.meta().remaining(), "each view is of its own");
        assertTrue(message.meta().isReadOnly());
        assertEquals(0, message.payload().remaining());
    }
}
