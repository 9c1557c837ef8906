package dev.varve.platform.handoff;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.prefix.CachedPrefixInfo;
import dev.varve.platform.prefix.HandOffException;
import dev.varve.platform.prefix.HandOffOutcome;
import dev.varve.platform.prefix.HandOffPeers;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefillPeer;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.remote.ExternalProcessLink;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.store.Namespace;
import dev.varve.platform.wire.WireOptions;
import dev.varve.platform.wire.unix.UnixTransport;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/** Tests both sides of a hand-off over a socket, with an engine that ends requests when told. */
@Timeout(60)
class PrefillServiceTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final UnixTransport TRANSPORT = new UnixTransport();
    private static final PrefillPeer.Job JOB =
            new PrefillPeer.Job(new CacheScope("tenant"), new int[640], new int[] {320, 640});

    @TempDir Path folder;

    private final ScriptedEngine engine = new ScriptedEngine();
    private PrefillService service;

    /** Queues requests and does nothing. */
    private static final class ScriptedEngine implements Engine {
        private final BlockingQueue<NewRequest> requests = new LinkedBlockingQueue<>();
        private final BlockingQueue<NewRequest> cancelled = new LinkedBlockingQueue<>();

        @Override
        public List<GenerationHandle> submit(List<NewRequest> submissions) {
            NewRequest only = submissions.getFirst();
            requests.add(only);
            return List.of(() -> cancelled.add(only));
        }

        @Override
        public EngineStatus status() {
            throw new AssertionError("not called");
        }

        @Override
        public CompletableFuture<List<CachedPrefixInfo>> cacheEntries() {
            throw new AssertionError("not called");
        }

        @Override
        public CompletableFuture<Void> clearCache() {
            throw new AssertionError("not called");
        }

        @Override
        public CompletableFuture<VarveException> broken() {
            return new CompletableFuture<>();
        }

        @Override
        public boolean drain(Duration limit) {
            return true;
        }

        @Override
        public void close() {}
    }

    private static WireOptions wire(String token) {
        return HandOffWireOptions.of("test").withToken(Optional.of(token));
    }

    private static Namespace namespace(int model) {
        byte[] id = new byte[32];
        id[0] = (byte) model;
        return new Namespace(id, Map.of());
    }

    @BeforeEach
    void listen() throws IOException {
        Listener listener = TRANSPORT.listen(socket(), TransportOptions.defaults());
        service = PrefillService.open(listener, wire("secret"), namespace(1).id(), 1 << 20);
    }

    @AfterEach
    void close() {
        service.close();
    }

    private String socket() {
        return folder.resolve("socket").toString();
    }

    private RemotePrefillPeer peer(int model, String token) {
        return new RemotePrefillPeer(
                "peer",
                new ExternalProcessLink(
                        TRANSPORT, socket(), TransportOptions.defaults(), wire(token)),
                namespace(model));
    }

    private static CompletableFuture<HandOffOutcome> prefill(
            PrefillPeer peer, Duration limit, CompletableFuture<?> ended) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        peer.prefill(JOB, limit, () -> !ended.isDone());
                        return HandOffOutcome.ADOPTED;
                    } catch (HandOffException e) {
                        return e.outcome();
                    }
                });
    }

    private static CompletableFuture<HandOffOutcome> prefill(PrefillPeer peer) {
        return prefill(peer, LIMIT, new CompletableFuture<>());
    }

    private static void end(Engine.NewRequest request) {
        request.listener()
                .onEnd(
                        new GenerationEnd(
                                GenerationEnd.Reason.LENGTH,
                                new GenerationEnd.Tokens(640, 0, 1),
                                new GenerationEnd.Times(0, 320, 0),
                                PrefixLookupResult.missed(MissReason.UNKNOWN)));
    }

    @Test
    void promptIsComputedInItsScopeAndTheSpeedReported() {
        service.start(() -> engine);
        try (RemotePrefillPeer peer = peer(1, "secret")) {
            CompletableFuture<HandOffOutcome> outcome = prefill(peer);
            Engine.NewRequest request = Await.next(engine.requests, "the prompt");
            end(request);

            assertEquals(HandOffOutcome.ADOPTED, Await.result(outcome));
            assertArrayEquals(JOB.tokens(), request.request().prompt().tokens());
            assertArrayEquals(JOB.boundaries(), request.request().prompt().boundaries());
            assertEquals(JOB.scope(), request.request().prompt().scope());
            assertEquals(0.5, peer.millisPerToken().orElseThrow());
            assertEquals(1 << 20, peer.capacityBytes());
        }
    }

    /** Each waiting prompt is a request of the connection that has no reply yet. */
    @Test
    void blocksAreReadWhileTheMostPromptsWait() throws IOException {
        service.start(() -> engine);
        service.store().put("key", ByteBuffer.wrap(new byte[] {1}), LIMIT);
        try (PrefillConnection connection =
                        new PrefillConnection(
                                "peer",
                                new ExternalProcessLink(
                                        TRANSPORT,
                                        socket(),
                                        TransportOptions.defaults(),
                                        wire("secret")),
                                namespace(1).id());
                RemoteBlockStore store = new RemoteBlockStore(connection)) {
            for (int i = 0; i < HandOffPeers.MOST_JOBS; i++) {
                connection.channel(LIMIT).call(HandOffMessages.prefill(JOB), LIMIT);
                Await.next(engine.requests, "prompt " + i);
            }

            assertEquals(1, store.has(List.of("key"), LIMIT).cardinality());
        }
    }

    @Test
    void missingServerIsNamedAsWhatItIs() {
        String nobody = folder.resolve("nobody").toString();
        try (PrefillConnection connection =
                new PrefillConnection(
                        "peer",
                        new ExternalProcessLink(
                                TRANSPORT, nobody, TransportOptions.defaults(), wire("secret")),
                        namespace(1).id())) {
            IOException failure = assertThrows(IOException.class, () -> connection.channel(LIMIT));

            String message = failure.getMessage();
            assertTrue(message.startsWith("no prefill server responds: "), message);
            assertFalse(message.contains("shard"), message);
        }
    }

    @Test
    void valuesAreReadInOrderAndCutAtTheMaximum() throws IOException {
        service.start(() -> engine);
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 700; i++) {
            keys.add("key:" + i);
            service.store().put(keys.get(i), ByteBuffer.wrap(new byte[] {(byte) i, 2, 3}), LIMIT);
        }
        keys.set(699, "key:none");
        PrefillConnection connection =
                new PrefillConnection(
                        "peer",
                        new ExternalProcessLink(
                                TRANSPORT, socket(), TransportOptions.defaults(), wire("secret")),
                        namespace(1).id());
        try (RemoteBlockStore store = new RemoteBlockStore(connection)) {
            List<Integer> lengths = new ArrayList<>();
            store.get(
                    keys,
                    1,
                    LIMIT,
                    (index, value) -> {
                        assertEquals(lengths.size(), index);
                        lengths.add(value.remaining());
                        assertTrue(index == 699 || value.get() == (byte) index);
                        return true;
                    });

            assertEquals(700, lengths.size());
            assertEquals(2, lengths.getFirst(), "one more than the maximum");
            assertEquals(0, lengths.getLast(), "a missing value");
            assertEquals(699, store.has(keys, LIMIT).cardinality());
            assertThrows(IOException.class, () -> store.put("key", ByteBuffer.allocate(1), LIMIT));
        }
    }

    @Test
    void otherModelAndWrongTokenAreRefused() {
        service.start(() -> engine);
        try (RemotePrefillPeer other = peer(2, "secret");
                RemotePrefillPeer stranger = peer(1, "wrong")) {
            assertFalse(other.archive().isAvailable());
            assertFalse(stranger.archive().isAvailable());
            assertEquals(HandOffOutcome.LOST, Await.result(prefill(other)));
            assertEquals(HandOffOutcome.LOST, Await.result(prefill(stranger)));
            assertTrue(engine.requests.isEmpty());
        }
    }

    @Test
    void promptIsRefusedWhileTheModelIsLoading() {
        try (RemotePrefillPeer peer = peer(1, "secret")) {
            assertEquals(HandOffOutcome.REFUSED, Await.result(prefill(peer)));
        }
    }

    @Test
    void slowPeerIsCancelled() {
        service.start(() -> engine);
        try (RemotePrefillPeer peer = peer(1, "secret")) {
            CompletableFuture<HandOffOutcome> outcome =
                    prefill(peer, Duration.ofMillis(100), new CompletableFuture<>());

            assertEquals(HandOffOutcome.SLOW, Await.result(outcome));
            Await.next(engine.cancelled, "the prompt");
        }
    }

    @Test
    void promptOfAnEndedRequestIsCancelled() {
        service.start(() -> engine);
        try (RemotePrefillPeer peer = peer(1, "secret")) {
            CompletableFuture<Void> ended = new CompletableFuture<>();
            CompletableFuture<HandOffOutcome> outcome = prefill(peer, LIMIT, ended);
            Await.next(engine.requests, "the prompt");

            ended.complete(null);

            assertEquals(HandOffOutcome.CANCELLED, Await.result(outcome));
            Await.next(engine.cancelled, "the prompt");
        }
    }

    @Test
    void lossOfTheServerEndsTheWait() {
        service.start(() -> engine);
        try (RemotePrefillPeer peer = peer(1, "secret")) {
            CompletableFuture<HandOffOutcome> outcome = prefill(peer);
            Await.next(engine.requests, "the prompt");

            service.close();

            assertEquals(HandOffOutcome.LOST, Await.result(outcome));
            Await.next(engine.cancelled, "the prompt");
        }
    }
}
