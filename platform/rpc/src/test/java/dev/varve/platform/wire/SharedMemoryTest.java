package dev.varve.platform.wire;

import static dev.varve.platform.wire.Channels.ECHOES;
import static dev.varve.platform.wire.Channels.LIMIT;
import static dev.varve.platform.wire.Channels.await;
import static dev.varve.platform.wire.Channels.message;
import static dev.varve.platform.wire.Channels.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.platform.wire.unix.UnixTransport;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

class SharedMemoryTest {
    private static final long RING = 1 << 20;

    @TempDir private Path folder;

    @BeforeEach
    void needsSharedMemory() {
        assumeTrue(Files.isDirectory(RingFile.folder()), "no " + RingFile.folder() + " here");
    }

    private Channels overUnix(WireOptions options) throws IOException {
        UnixTransport unix = new UnixTransport();
        String address = folder.resolve("own/socket").toString();
        try (Listener listener = unix.listen(address, TransportOptions.defaults())) {
            Connection client = unix.connect(address, TransportOptions.defaults());
            return Channels.over(client, listener.accept(), options, options, ECHOES);
        }
    }

    /** More than the socket holds, in both directions at once, and more than the ring holds. */
    @ParameterizedTest
    @EnumSource(SharedMemoryMode.class)
    @ByDay(2)
    void everyCarrierTransfersTheSameBytes(SharedMemoryMode mode) throws IOException {
        try (Channels channels = overUnix(options().withSharedMemory(mode, RING))) {
            List<Integer> sizes = List.of(0, 100, 16384, 16385, 700_000, 1_100_000, 5_000_000);

            List<CompletableFuture<Message>> calls =
                    IntStream.range(0, 42)
                            .mapToObj(
                                    i ->
                                            channels.client()
                                                    .call(message(sizes.get(i % 7), i), LIMIT))
                            .toList();

            for (int i = 0; i < calls.size(); i++) {
                assertEquals(message(sizes.get(i % 7), i), await(calls.get(i)), "call " + i);
            }
            WireStatistics statistics = channels.client().statistics();
            boolean shared = mode != SharedMemoryMode.STREAM;
            assertEquals(
                    shared ? PayloadTransport.SHARED : PayloadTransport.STREAM,
                    statistics.payloadTransport());
            assertEquals(shared, statistics.sharedPayloads() > 0, statistics.toString());
        }
    }

    @Test
    void noFileIsLeftAfterTheHandshake() throws IOException {
        try (Channels channels =
                overUnix(options().withSharedMemory(SharedMemoryMode.SHARED, RING))) {
            assertEquals(
                    PayloadTransport.SHARED, channels.server().statistics().payloadTransport());
            assertEquals(List.of(), ownFiles());
        }
    }

    @Test
    void serverKilledDuringTheHandshakeLeavesNoFile() throws Exception {
        String address = folder.resolve("own/socket").toString();
        try (Listener listener = new UnixTransport().listen(address, TransportOptions.defaults())) {
            Process server =
                    new ProcessBuilder(
                                    Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                    "-cp",
                                    System.getProperty(
                                            "surefire.test.class.path",
                                            System.getProperty("java.class.path")),
                                    LateServer.class.getName(),
                                    address)
                            .inheritIO()
                            .start();
            try (Connection connection = listener.accept()) {
                // Its greeting offers the memory, so that exists; nobody will ever answer.
                connection.read(ByteBuffer.allocate(FrameHeader.BYTES));

                server.destroyForcibly().waitFor();

                assertEquals(List.of(), filesOf(server.pid()));
            } finally {
                server.destroyForcibly();
            }
        }
    }

    private static List<Path> ownFiles() throws IOException {
        return filesOf(ProcessHandle.current().pid());
    }

    private static List<Path> filesOf(long process) throws IOException {
        String own = "varve-ring-" + process + "-";
        try (Stream<Path> files = Files.list(RingFile.folder())) {
            return files.filter(file -> file.getFileName().toString().startsWith(own)).toList();
        }
    }

    @Test
    void fileOfADeadProcessIsRemovedByTheNextOne() throws Exception {
        Process dead = new ProcessBuilder("true").start();
        dead.waitFor();
        Path stale = Files.createFile(folder.resolve("varve-ring-" + dead.pid() + "-aa"));
        Path living =
                Files.createFile(
                        folder.resolve("varve-ring-" + ProcessHandle.current().pid() + "-bb"));
        Path other = Files.createFile(folder.resolve("varve-ring-x-cc"));

        RingFile.create(folder, RingNonce.random(), RING).close();

        assertFalse(Files.exists(stale));
        assertTrue(Files.exists(living), "its process lives");
        assertTrue(Files.exists(other), "not a name that Varve gives");
    }

    @Test
    void fileThatDiffersFromTheAnnouncementIsNotMapped() throws IOException {
        RingNonce nonce = RingNonce.random();
        RingFileDescriptor address;
        try (RingFile.Created created = RingFile.create(folder, nonce, RING)) {
            address = created.address();
            assertEquals(
                    "rw-------",
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(address.path())));
            assertRefused(address, RingNonce.random(), RING);
            assertRefused(address, nonce, 2 * RING);
            assertRefused(address, nonce, -1);
            assertRefused(new RingFileDescriptor(address.process(), 0), nonce, RING);
            assertRefused(new RingFileDescriptor(-1, address.descriptor()), nonce, RING);
        }
        assertRefused(address, nonce, RING);
    }

    private static void assertRefused(RingFileDescriptor address, RingNonce nonce, long bytes) {
        assertThrows(
                IOException.class,
                () -> RingFile.open(address, nonce, bytes),
                () -> address + " with " + bytes + " bytes");
    }

    private record Ends(RingProducer producer, RingConsumer consumer) {}

    private Ends ends() throws IOException {
        RingNonce nonce = RingNonce.random();
        try (RingFile.Created created = RingFile.create(folder, nonce, RingFile.MIN_RING_BYTES)) {
            RingFile.Rings other = RingFile.open(created.address(), nonce, RingFile.MIN_RING_BYTES);
            return new Ends(created.rings().toPeer(), other.fromPeer());
        }
    }

    @Test
    void recordsOfAllSizesWrapAround() throws IOException {
        Ends ends = ends();
        for (int i = 0; i < 2000; i++) {
            ByteBuffer payload = message((i * 7919) % 30_000 + 1, i).payload();
            RingSlot slot = ends.producer().put(i, payload).orElseThrow();
            ByteBuffer copy = ByteBuffer.allocate(payload.remaining());

            ends.consumer().take(i, slot, copy);

            assertEquals(payload, copy, "record " + i);
        }
    }

    @Test
    void fullRingRefusesRecordsUntilOneIsRead() throws IOException {
        Ends ends = ends();
        ByteBuffer payload = message(40_000, 1).payload();
        RingSlot first = ends.producer().put(1, payload).orElseThrow();
        Optional<RingSlot> second = ends.producer().put(3, payload);

        ends.consumer().take(1, first, ByteBuffer.allocate(40_000));

        assertEquals(Optional.empty(), second);
        assertEquals(
                Optional.empty(),
                ends.producer().put(5, message(70_000, 1).payload()),
                "larger than the ring");
    }

    @Test
    void slotThatDoesNotMatchItsRecordIsRefused() throws IOException {
        Ends ends = ends();
        RingSlot slot = ends.producer().put(1, message(100, 1).payload()).orElseThrow();
        ByteBuffer target = ByteBuffer.allocate(100);

        for (RingSlot wrong :
                List.of(
                        new RingSlot(slot.position() + 64, slot.sequence(), slot.crc()),
                        new RingSlot(-64, slot.sequence(), slot.crc()),
                        new RingSlot(slot.position(), slot.sequence() + 1, slot.crc()),
                        new RingSlot(slot.position(), slot.sequence(), slot.crc() + 1))) {
            assertThrows(
                    FrameException.class,
                    () -> ends.consumer().take(1, wrong, target.duplicate()),
                    wrong.toString());
        }
        assertThrows(FrameException.class, () -> ends.consumer().take(3, slot, target));
        assertThrows(
                FrameException.class,
                () -> ends.consumer().take(1, slot, ByteBuffer.allocate(60_000)),
                "more than was written");
    }
}
