package dev.varve.plugin.grpc.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.transport.Connection;
import dev.varve.api.transport.TransportOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

@Timeout(60)
class StreamConnectionTest {
    private static final int PIECE_BYTES = 1 << 16;
    private static final long BULK_BYTES = 64L << 20;

    /** Window, messages that were asked for, both queues and one message; both ends together. */
    private static final long HELD_BYTES =
            2L * ByteStreams.WINDOW_BYTES
                    + (ByteStreams.MESSAGES_AHEAD + 1L) * ByteStreams.MAX_MESSAGE_BYTES
                    + ByteStreams.READY_BYTES;

    private static <T> FutureTask<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    @Test
    void bytesArriveInOrderForAnyBuffers() throws Exception {
        byte[] sent = new byte[3_000_017];
        new Random(4711).nextBytes(sent);
        ByteBuffer direct = ByteBuffer.allocateDirect(1_500_000);
        direct.put(sent, 0, 1_500_000).flip();
        ByteBuffer readOnly = ByteBuffer.wrap(sent, 1_500_000, 500_000).asReadOnlyBuffer();
        ByteBuffer rest = ByteBuffer.wrap(sent, 2_000_000, 1_000_017);
        byte[] received = new byte[sent.length];
        try (Pair pair = Pair.open(TransportOptions.defaults())) {
            FutureTask<Void> writer =
                    start(
                            () -> {
                                pair.client().write(direct, readOnly, ByteBuffer.allocate(0), rest);
                                return null;
                            });
            ByteBuffer target = ByteBuffer.allocateDirect(1_000_001);

            pair.server().read(target);
            target.flip().get(received, 0, 1_000_001);
            pair.server().read(ByteBuffer.wrap(received, 1_000_001, 1));
            pair.server().read(ByteBuffer.wrap(received, 1_000_002, sent.length - 1_000_002));

            writer.get();
        }
        assertArrayEquals(sent, received);
        assertFalse(direct.hasRemaining() || readOnly.hasRemaining() || rest.hasRemaining());
    }

    @Test
    void writerWaitsWithoutAReaderAndBuffersDoNotGrow() throws Exception {
        try (Pair pair = Pair.open(TransportOptions.defaults())) {
            AtomicLong clientSent = new AtomicLong();
            AtomicLong serverSent = new AtomicLong();
            FutureTask<Void> up = start(() -> sendBulk(pair.client(), 1, clientSent));
            FutureTask<Void> down = start(() -> sendBulk(pair.server(), 2, serverSent));

            long stuckUp = awaitStandstill(clientSent);
            long stuckDown = awaitStandstill(serverSent);

            FutureTask<Void> atServer = start(() -> checkBulk(pair.server(), 1));
            FutureTask<Void> atClient = start(() -> checkBulk(pair.client(), 2));
            up.get();
            down.get();
            atServer.get();
            atClient.get();
            assertTrue(stuckUp > 0 && stuckUp <= HELD_BYTES, stuckUp + " bytes up");
            assertTrue(stuckDown > 0 && stuckDown <= HELD_BYTES, stuckDown + " bytes down");
        }
    }

    private static Void sendBulk(Connection connection, long seed, AtomicLong sent)
            throws IOException {
        Random random = new Random(seed);
        byte[] piece = new byte[PIECE_BYTES];
        for (long at = 0; at < BULK_BYTES; at += PIECE_BYTES) {
            random.nextBytes(piece);
            connection.write(ByteBuffer.wrap(piece));
            sent.addAndGet(PIECE_BYTES);
        }
        return null;
    }

    private static Void checkBulk(Connection connection, long seed) throws IOException {
        Random random = new Random(seed);
        byte[] expected = new byte[PIECE_BYTES];
        byte[] actual = new byte[PIECE_BYTES];
        for (long at = 0; at < BULK_BYTES; at += PIECE_BYTES) {
            random.nextBytes(expected);
            connection.read(ByteBuffer.wrap(actual));
            assertArrayEquals(expected, actual, "piece at " + at);
        }
        return null;
    }

    /** Waits until a counter has moved and then rests for a quarter of a second. */
    private static long awaitStandstill(AtomicLong counter) {
        long last = -1;
        long since = System.nanoTime();
        while (last <= 0 || System.nanoTime() - since < 250_000_000L) {
            long now = counter.get();
            if (now != last) {
                last = now;
                since = System.nanoTime();
            }
            LockSupport.parkNanos(1_000_000L);
        }
        return last;
    }

    @Test
    void closingUnblocksAReaderAndAWriterOfTheSameSide() throws Exception {
        try (Pair pair = Pair.open(TransportOptions.defaults())) {
            AtomicLong sent = new AtomicLong();
            FutureTask<Void> writer = start(() -> sendBulk(pair.client(), 1, sent));
            FutureTask<String> reader = start(() -> Pair.receive(pair.client(), 1));
            awaitStandstill(sent);

            pair.client().close();

            assertClosedHere(writer);
            assertClosedHere(reader);
        }
    }

    private static void assertClosedHere(FutureTask<?> task) {
        Exception e = assertThrows(ExecutionException.class, () -> task.get(5, TimeUnit.SECONDS));
        assertTrue(
                e.getCause() instanceof IOException
                        && e.getCause().getMessage().endsWith("was closed on this side"),
                e.toString());
    }

    @Test
    void bytesWrittenBeforeTheClientClosesArrive() throws Exception {
        try (Pair pair = Pair.open(TransportOptions.defaults())) {
            Pair.send(pair.client(), "last words");
            pair.client().close();

            assertEquals("last words", Pair.receive(pair.server(), 10));
            assertThrows(EOFException.class, () -> Pair.receive(pair.server(), 1));
            assertThrows(IOException.class, () -> Pair.send(pair.server(), "hello?"));
        }
    }

    @Test
    void bytesWrittenBeforeTheServerClosesArrive() throws Exception {
        try (Pair pair = Pair.open(TransportOptions.defaults())) {
            Pair.send(pair.server(), "last words");
            pair.server().close();

            assertEquals("last words", Pair.receive(pair.client(), 10));
            assertThrows(EOFException.class, () -> Pair.receive(pair.client(), 1));
            assertThrows(IOException.class, () -> Pair.send(pair.client(), "hello?"));
        }
    }

    @Test
    void waitingReaderOfThePeerGetsTheEnd() throws Exception {
        try (Pair pair = Pair.open(TransportOptions.defaults())) {
            FutureTask<String> reader = start(() -> Pair.receive(pair.server(), 1));

            pair.client().close();

            Exception e =
                    assertThrows(ExecutionException.class, () -> reader.get(5, TimeUnit.SECONDS));
            assertTrue(e.getCause() instanceof EOFException, e.toString());
        }
    }

    @Test
    void closingAListenerEndsTheAcceptButNotAcceptedConnections() throws Exception {
        try (Pair pair = Pair.open(TransportOptions.defaults())) {
            FutureTask<Connection> accept = start(() -> pair.listener().accept());

            pair.listener().close();

            assertThrows(ExecutionException.class, () -> accept.get(5, TimeUnit.SECONDS));
            assertTrue(pair.talks());
        }
    }

    @Test
    void connectionsShareNoMemoryAndNameThePeer() throws Exception {
        try (Pair pair = Pair.open(TransportOptions.defaults())) {
            assertFalse(pair.client().sameHost() || pair.server().sameHost());
            assertEquals(pair.listener().address(), pair.client().peer());
            assertTrue(pair.server().peer().startsWith("grpc:127.0.0.1:"), pair.server().peer());
        }
    }

    @Test
    void manyConnectionsOfOneListenerAreIndependent() throws Exception {
        NetworkTransport transport = new NetworkTransport();
        try (var listener = transport.listen("127.0.0.1:0", TransportOptions.defaults())) {
            Connection[] clients = new Connection[8];
            Connection[] servers = new Connection[8];
            for (int i = 0; i < clients.length; i++) {
                clients[i] = transport.connect(Pair.target(listener), TransportOptions.defaults());
                servers[i] = listener.accept();
                Pair.send(clients[i], "from " + i);
            }
            clients[3].close();
            for (int i = 0; i < clients.length; i++) {
                assertEquals("from " + i, Pair.receive(servers[i], 6));
                servers[i].close();
                clients[i].close();
            }
        }
    }

    @Test
    void emptyWriteSendsNoMessage() throws Exception {
        try (Pair pair = Pair.open(TransportOptions.defaults())) {
            pair.client().write();
            pair.client().write(ByteBuffer.allocate(0));
            pair.server().read(ByteBuffer.allocate(0));

            assertTrue(pair.talks());
        }
    }

    @Test
    void closingTwiceFromTwoThreadsIsAllowed() throws Exception {
        try (Pair pair = Pair.open(TransportOptions.defaults())) {
            CompletableFuture<Void> other = CompletableFuture.runAsync(pair.client()::close);

            pair.client().close();
            other.get();

            assertThrows(EOFException.class, () -> Pair.receive(pair.server(), 1));
        }
    }
}
