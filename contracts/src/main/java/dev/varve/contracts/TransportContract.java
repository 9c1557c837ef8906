package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Contract of transports, on one machine. Both ends are in this process. */
@Timeout(60)
public abstract class TransportContract {
    /** Exceeds any queue between two ends, so that a writer must wait for its reader. */
    private static final int MANY_BYTES = 32 << 20;

    private static final long SEED = 4711;

    @TempDir private Path folder;

    /** For extending classes. */
    protected TransportContract() {}

    /** Creates a new provider. */
    protected abstract TransportProvider provider();

    /**
     * Returns an address, without scheme, that is not in use and that a listener can bind. If the
     * system chooses a part of it (a port), {@link Listener#address} returns the real one.
     *
     * @param folder an empty folder of the test
     */
    protected abstract String freeAddress(Path folder);

    /**
     * Returns an address, without scheme, to which a client can try to connect, and at which no
     * process accepts.
     *
     * @param folder an empty folder of the test
     */
    protected abstract String deafAddress(Path folder);

    /** Returns texts that are no address of this transport. */
    protected abstract List<String> malformedAddresses();

    /** Returns the options with which both sides connect and listen. */
    protected TransportOptions options() {
        return TransportOptions.defaults();
    }

    private record Pair(Listener listener, Connection client, Connection server)
            implements AutoCloseable {
        @Override
        public void close() {
            client.close();
            server.close();
            listener.close();
        }
    }

    private Listener listen() throws IOException {
        return provider().listen(freeAddress(folder), options());
    }

    /** Returns the listener's address without its scheme. */
    private String target(Listener listener) {
        return listener.address().substring(provider().scheme().length() + 1);
    }

    private Pair connect() throws IOException {
        Listener listener = listen();
        try {
            Connection client = provider().connect(target(listener), options());
            return new Pair(listener, client, listener.accept());
        } catch (IOException | RuntimeException e) {
            listener.close();
            throw e;
        }
    }

    @Test
    void constructorIsCheap() {
        ProviderRules.requireCheap(this::provider);
    }

    @Test
    void schemeIsAStableWord() {
        TransportProvider provider = provider();

        String scheme = provider.scheme();

        ProviderRules.requireWord(scheme);
        assertEquals(scheme, provider.scheme());
        assertEquals(scheme, provider().scheme());
    }

    @Test
    void listenerAddressIsConnectable() throws IOException {
        try (Listener listener = listen()) {
            assertTrue(
                    listener.address().startsWith(provider().scheme() + ":"), listener.address());
            try (Connection client = provider().connect(target(listener), options());
                    Connection server = listener.accept()) {
                assertFalse(client.peer().isBlank(), "the client's peer");
                assertFalse(server.peer().isBlank(), "the server's peer");
            }
        }
    }

    @Test
    void bytesArriveInOrderForAnyBuffers() throws Exception {
        byte[] bytes = randomBytes(1 << 20);
        try (Pair pair = connect()) {
            FutureTask<byte[]> received = start(() -> receive(pair.server(), bytes.length));
            Random random = new Random(SEED);
            for (int from = 0; from < bytes.length; ) {
                int middle = Math.min(bytes.length, from + random.nextInt(70_000));
                int end = Math.min(bytes.length, middle + random.nextInt(50));
                ByteBuffer direct = ByteBuffer.allocateDirect(end - middle + 3).position(3);
                direct.put(bytes, middle, end - middle).position(3);
                pair.client()
                        .write(
                                ByteBuffer.wrap(bytes, from, middle - from).asReadOnlyBuffer(),
                                ByteBuffer.allocate(0),
                                direct);
                from = end;
            }

            assertArrayEquals(bytes, received.get());
        }
    }

    @Test
    void readFillsOnlyTheRemainingBuffer() throws IOException {
        try (Pair pair = connect()) {
            pair.client().write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}));
            byte[] found = new byte[6];

            pair.server().read(ByteBuffer.wrap(found, 2, 3));
            pair.server().read(ByteBuffer.allocate(0));
            pair.server().read(ByteBuffer.wrap(found, 0, 2));

            assertArrayEquals(new byte[] {4, 5, 1, 2, 3, 0}, found);
        }
    }

    @Test
    void bothDirectionsTransferConcurrently() throws Exception {
        byte[] bytes = randomBytes(MANY_BYTES);
        try (Pair pair = connect()) {
            FutureTask<byte[]> atServer = start(() -> receive(pair.server(), bytes.length));
            FutureTask<byte[]> atClient = start(() -> receive(pair.client(), bytes.length));
            FutureTask<Object> fromServer = start(() -> send(pair.server(), bytes));
            FutureTask<Object> fromClient = start(() -> send(pair.client(), bytes));

            fromServer.get();
            fromClient.get();

            assertArrayEquals(bytes, atServer.get());
            assertArrayEquals(bytes, atClient.get());
        }
    }

    @Test
    void connectionsOfOneListenerAreIndependent() throws IOException {
        try (Pair one = connect();
                Connection client = provider().connect(target(one.listener()), options());
                Connection server = one.listener().accept()) {
            client.write(ByteBuffer.wrap(new byte[] {2}));
            one.client().write(ByteBuffer.wrap(new byte[] {1}));

            assertArrayEquals(new byte[] {1}, receive(one.server(), 1));
            assertArrayEquals(new byte[] {2}, receive(server, 1));
            one.client().close();
            server.write(ByteBuffer.wrap(new byte[] {3}));
            assertArrayEquals(new byte[] {3}, receive(client, 1));
        }
    }

    @Test
    void peerCloseEndsTheStream() throws IOException {
        try (Pair pair = connect()) {
            pair.client().write(ByteBuffer.wrap(new byte[] {1}));
            receive(pair.server(), 1);

            pair.client().close();

            assertThrows(EOFException.class, () -> pair.server().read(ByteBuffer.allocate(1)));
        }
    }

    @Test
    void closedConnectionRefusesUseAndClosesTwice() throws IOException {
        try (Pair pair = connect()) {
            pair.client().close();
            pair.client().close();

            assertThrows(IOException.class, () -> pair.client().read(ByteBuffer.allocate(1)));
            assertThrows(IOException.class, () -> send(pair.client(), new byte[1]));
        }
    }

    @Test
    void closeFromAnotherThreadEndsABlockedReader() throws Exception {
        try (Pair pair = connect()) {
            CountDownLatch reading = new CountDownLatch(1);
            FutureTask<byte[]> reader =
                    start(
                            () -> {
                                reading.countDown();
                                return receive(pair.server(), 1);
                            });
            reading.await();

            pair.server().close();

            assertEndsWithIoException(reader);
        }
    }

    @Test
    void closeFromAnotherThreadEndsABlockedWriter() throws Exception {
        try (Pair pair = connect()) {
            CountDownLatch writing = new CountDownLatch(1);
            FutureTask<Object> writer =
                    start(
                            () -> {
                                writing.countDown();
                                return send(pair.client(), new byte[MANY_BYTES]);
                            });
            writing.await();

            pair.client().close();

            assertEndsWithIoException(writer);
        }
    }

    @Test
    void closedListenerAcceptsNoConnectionAndClosesTwice() throws Exception {
        Listener listener = listen();
        CountDownLatch accepting = new CountDownLatch(1);
        FutureTask<Connection> waiting =
                start(
                        () -> {
                            accepting.countDown();
                            return listener.accept();
                        });
        accepting.await();

        listener.close();
        listener.close();

        assertEndsWithIoException(waiting);
        assertThrows(IOException.class, listener::accept);
        assertThrows(IOException.class, () -> provider().connect(target(listener), options()));
    }

    @Test
    void addressInUseIsRefused() throws IOException {
        try (Listener listener = listen()) {
            assertThrows(IOException.class, () -> provider().listen(target(listener), options()));
        }
    }

    @Test
    void refusedConnectionNamesTheAddress() {
        String address = deafAddress(folder);

        IOException error =
                assertThrows(IOException.class, () -> provider().connect(address, options()));

        assertTrue(
                String.valueOf(error.getMessage()).contains(address),
                "expected " + address + ", found " + error.getMessage());
    }

    @Test
    void invalidAddressIsRefusedByBothSides() {
        String scheme = provider().scheme();
        for (String address : malformedAddresses()) {
            for (VarveException error :
                    List.of(
                            assertThrows(
                                    VarveException.class,
                                    () -> provider().connect(address, options()),
                                    "connect to " + address),
                            assertThrows(
                                    VarveException.class,
                                    () -> provider().listen(address, options()),
                                    "listen at " + address))) {
                assertEquals(VarveException.Kind.INVALID_REQUEST, error.kind());
                ProviderRules.requireLine(error);
                assertTrue(error.getMessage().contains(scheme + ":"), error.getMessage());
            }
        }
    }

    private static byte[] randomBytes(int count) {
        byte[] bytes = new byte[count];
        new Random(SEED).nextBytes(bytes);
        return bytes;
    }

    private static byte[] receive(Connection connection, int count) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(count);
        connection.read(target);
        return target.array();
    }

    private static Object send(Connection connection, byte[] bytes) throws IOException {
        connection.write(ByteBuffer.wrap(bytes));
        return bytes;
    }

    private static <T> FutureTask<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread.ofPlatform().daemon().name("transport-contract").start(task);
        return task;
    }

    private static void assertEndsWithIoException(FutureTask<?> task) {
        ExecutionException error = assertThrows(ExecutionException.class, task::get);
        assertTrue(error.getCause() instanceof IOException, String.valueOf(error.getCause()));
    }
}
