package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardHealth.State;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.wire.CallResponder;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireChannel;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;
import dev.varve.platform.wire.WireOptions;
import dev.varve.platform.wire.unix.UnixTransport;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The supervisor reports the progress of a restarted shard while its process loads the model. The
 * test plays the process.
 */
@Timeout(60)
class ShardSupervisorTest {
    private static final long TOTAL = 1000;
    private static final int FIRST_ATTEMPTS = 3;

    @TempDir Path folder;
    private final BlockingQueue<Loading> loadings = new LinkedBlockingQueue<>();
    private ShardSupervisor supervisor;

    /** A process that was asked to load. */
    private record Loading(WireChannel channel, Message request, CallResponder call) {
        void progress(long done) {
            call.progress(
                    Message.of(
                            MessageType.LOAD, new FieldWriter().number(TOTAL).number(done).done()));
        }

        void done() {
            FieldWriter fields = new FieldWriter();
            ResultCodec.putMemory(fields, new ShardMemory(TOTAL, 0, 1, 1));
            call.reply(
                    Message.of(
                            MessageType.LOAD,
                            fields.text("test").flag(false).number(0).flag(true).done()));
        }

        void crash() {
            channel.close();
        }
    }

    /** Starts a process of the test with each opening. */
    private final class TestLink implements ShardLink {
        private final UnixTransport unix = new UnixTransport();
        private int opened;

        @Override
        public WireChannel open() {
            String address = folder.resolve("process" + ++opened).resolve("socket").toString();
            try (Listener listener = unix.listen(address, TransportOptions.defaults())) {
                Connection client = unix.connect(address, TransportOptions.defaults());
                Connection accepted = listener.accept();
                CompletableFuture<WireChannel> process = new CompletableFuture<>();
                Thread.startVirtualThread(
                        () ->
                                process.complete(
                                        WireChannel.accept(
                                                accepted,
                                                WireOptions.defaults(),
                                                (request, call) ->
                                                        loadings.add(
                                                                new Loading(
                                                                        process.join(),
                                                                        request,
                                                                        call)))));
                return WireChannel.connect(client, WireOptions.defaults());
            } catch (IOException e) {
                throw new VarveException(VarveException.Kind.UNAVAILABLE, "no socket", e);
            }
        }

        @Override
        public boolean sameHost() {
            return true;
        }

        @Override
        public Optional<String> lastWords() {
            return Optional.empty();
        }

        @Override
        public void close() {
            // The processes end with their connections.
        }
    }

    @BeforeEach
    void prepare() {
        supervisor =
                new ShardSupervisor(
                        "test",
                        new TestLink(),
                        new ShardSupervisor.Load(
                                request().encode(),
                                List.of(
                                        new TensorCheck(
                                                TensorDigests.cachedIn(folder),
                                                new TensorSelection(List.of())))),
                        FIRST_ATTEMPTS);
    }

    private CompletableFuture<Void> start() {
        return CompletableFuture.runAsync(
                () -> supervisor.start(LoadProgressListener.silent()), Thread::startVirtualThread);
    }

    private void loadAndCrash() throws Exception {
        CompletableFuture<Void> started = start();
        Loading first = next();
        first.done();
        started.get(20, TimeUnit.SECONDS);
        first.crash();
    }

    @AfterEach
    void stop() {
        supervisor.close();
    }

    private static ShardLoadRequest request() {
        return new ShardLoadRequest(
                new ShardLoadRequest.Model(
                        "m.gguf",
                        "0",
                        Optional.empty(),
                        new ShardLoadRequest.ModelDimensions("test", 2, 8, 16),
                        ModelOptions.defaults()),
                new LayerRange(1, 2),
                ShardOptions.of(CacheTypes.f16(), new CacheCapacities(KvSlotSpan.BLOCK, 2, 0)),
                new ShardLoadRequest.Device("cpu:0", DeviceOptions.automatic()),
                BoundaryType.F32);
    }

    private Loading next() {
        return Await.next(loadings, "process that was told to load");
    }

    private ShardHealth await(Predicate<ShardHealth> condition) {
        return Await.value("health", supervisor::health, condition);
    }

    private ShardHealth.Recovery awaitLoaded(long bytes) {
        return await(
                        health ->
                                health.state() == State.LOADING
                                        && health.loading().orElseThrow().loadedBytes() == bytes)
                .loading()
                .orElseThrow();
    }

    @Test
    void healthReportsTheRecoveryProgress() throws Exception {
        loadAndCrash();
        Loading process = next();
        process.progress(100);
        ShardHealth.Recovery early = awaitLoaded(100);
        process.progress(700);
        ShardHealth.Recovery late = awaitLoaded(700);
        process.done();
        ShardHealth back = await(health -> health.state() == State.READY);

        assertEquals(TOTAL, early.totalBytes());
        assertEquals(early.steps() + 1, late.steps());
        assertTrue(back.loading().isEmpty(), back.toString());
        assertEquals(1, back.restarts());
        supervisor.recover().get(20, TimeUnit.SECONDS);
    }

    private static ShardSupervisor.Load withAdapter() {
        LoraReference adapter = new LoraReference(0, "a.gguf", "cd", Optional.empty(), 0);
        return new ShardSupervisor.Load(request().with(List.of(adapter)).encode(), List.of());
    }

    @Test
    void processThatLoadedARemovedAdapterLoadsAgain() throws Exception {
        supervisor.setLoad(withAdapter());
        loadAndCrash();
        Loading outdated = next();
        supervisor.setLoad(new ShardSupervisor.Load(request().encode(), List.of()));

        outdated.done();

        Loading second = next();
        assertTrue(ShardLoadRequest.decode(second.request()).adapters().isEmpty());
        second.done();
        supervisor.recover().get(20, TimeUnit.SECONDS);
        assertEquals(1, supervisor.health().restarts());
    }

    @Test
    void repeatedCrashesDuringLoadsMakeNoEndlessProgress() throws Exception {
        loadAndCrash();
        for (int attempt = 0; attempt < RecoveryProgress.TRUSTED_ATTEMPTS; attempt++) {
            Loading process = next();
            process.progress(500);
            awaitLoaded(500);
            process.crash();
        }
        Loading process = next();
        ShardHealth.Recovery begun = awaitLoaded(0);
        process.progress(500);
        ShardHealth.Recovery repeated = awaitLoaded(500);
        process.progress(501);
        ShardHealth.Recovery further = awaitLoaded(501);

        assertEquals(begun.steps(), repeated.steps(), "as far as the attempts before");
        assertEquals(begun.steps() + 1, further.steps());
        assertFalse(supervisor.recover().isDone());
    }

    @Test
    void processLostDuringItsFirstLoadIsRestarted() throws Exception {
        CompletableFuture<Void> started = start();

        next().crash();
        Loading second = next();
        second.progress(500);
        second.crash();
        next().done();

        started.get(20, TimeUnit.SECONDS);
        assertEquals(State.READY, supervisor.health().state());
        assertEquals(0, supervisor.health().restarts());
    }

    @Test
    void processLostInEachFirstLoadAttemptIsAFailure() {
        CompletableFuture<Void> started = start();

        for (int attempt = 0; attempt < FIRST_ATTEMPTS; attempt++) {
            next().crash();
        }

        VarveException failure = assertThrows(VarveException.class, () -> Await.result(started));
        assertEquals(VarveException.Kind.UNAVAILABLE, failure.kind());
        assertTrue(
                failure.getMessage()
                        .startsWith(
                                "test did not load in 3 attempts; the last failure: test was lost"
                                        + " while it loaded: "),
                failure.getMessage());
        assertTrue(loadings.isEmpty());
    }

    /** A process that refuses a file, or lacks memory, would refuse again. */
    @ParameterizedTest
    @EnumSource(names = {"CORRUPT_FILE", "OUT_OF_MEMORY", "INVALID_REQUEST", "UNAVAILABLE"})
    void processThatRefusesItsFirstLoadIsNotRetried(WireErrorCode code) {
        CompletableFuture<Void> started = start();

        next().call().fail(new WireException(code, "no"));

        VarveException failure = assertThrows(VarveException.class, () -> Await.result(started));
        assertEquals("no", failure.getMessage());
        assertEquals(code.kind(), failure.kind());
        assertTrue(loadings.isEmpty());
    }
}
