package dev.varve.platform.engine;

import static dev.varve.platform.engine.PlainEngine.CONTEXT;
import static dev.varve.platform.engine.PlainEngine.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.snapshot.SharedStore;
import dev.varve.contracts.MemorySharedStore;
import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.HandOffException;
import dev.varve.platform.prefix.HandOffMode;
import dev.varve.platform.prefix.HandOffOutcome;
import dev.varve.platform.prefix.HandOffPeers;
import dev.varve.platform.prefix.HandOffStatus;
import dev.varve.platform.prefix.HandOffTierOptions;
import dev.varve.platform.prefix.PrefillPeer;
import dev.varve.platform.prefix.SharedTierOptions;
import dev.varve.platform.prefix.StorageTierOptions;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.lora.LoraScales;
import dev.varve.platform.store.Namespace;
import dev.varve.platform.store.SharedArchive;
import dev.varve.platform.store.SharedArchiveSettings;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/** Tests prompts that another engine computes and whose blocks an engine adopts. */
@Timeout(60)
class HandOffTest {
    private static final int BLOCKS = CONTEXT / KvSlotSpan.BLOCK;
    private static final long PLENTY = 64 << 20;
    private static final int LEAST = 256;
    private static final Ask ASK = Ask.of(text(1, 700), 12, 600);
    private static final byte[] ID = new byte[32];

    private final Map<String, byte[]> values = new ConcurrentHashMap<>();

    /** Opens when a part of a block has been read for the first time. */
    private final CountDownLatch read = new CountDownLatch(1);

    /** A store that reports reads of parts. */
    private final class WatchedStore implements SharedStore {
        private final SharedStore store = new MemorySharedStore(values);

        @Override
        public void get(List<String> keys, int mostBytes, Duration limit, Values taker)
                throws IOException {
            store.get(keys, mostBytes, limit, taker);
            if (keys.stream().anyMatch(key -> key.endsWith(":0") && values.containsKey(key))) {
                read.countDown();
            }
        }

        @Override
        public BitSet has(List<String> keys, Duration limit) throws IOException {
            return store.has(keys, limit);
        }

        @Override
        public void put(String key, ByteBuffer value, Duration limit) throws IOException {
            store.put(key, value, limit);
        }

        @Override
        public void mark(String key, int bit, Duration limit) throws IOException {
            store.mark(key, bit, limit);
        }

        @Override
        public void touch(List<String> keys, Duration limit) throws IOException {
            store.touch(keys, limit);
        }

        @Override
        public void deleteAll(String prefix, Duration limit) throws IOException {
            store.deleteAll(prefix, limit);
        }

        @Override
        public void ping(Duration limit) throws IOException {
            store.ping(limit);
        }

        @Override
        public void close() {
            store.close();
        }
    }

    private SharedArchive open(boolean readOnly) {
        return SharedArchive.open(
                new SharedArchiveSettings(
                        "memory://test",
                        new Namespace(ID, Map.of()),
                        readOnly,
                        Duration.ofSeconds(20),
                        Optional.empty()),
                new WatchedStore());
    }

    /** A peer in this process, which computes with an engine or fails. */
    private class Peer implements PrefillPeer {
        private final Engine engine;
        private final SharedArchive archive = open(true);
        private Job latest;

        Peer(Engine engine) {
            this.engine = engine;
        }

        @Override
        public String address() {
            return "peer";
        }

        @Override
        public SharedArchive archive() {
            return archive;
        }

        @Override
        public OptionalDouble millisPerToken() {
            return OptionalDouble.empty();
        }

        @Override
        public long capacityBytes() {
            return Long.MAX_VALUE;
        }

        @Override
        public void prefill(Job job, Duration limit, BooleanSupplier isAwaited)
                throws HandOffException {
            latest = job;
            try {
                Ask.of(job.tokens(), 1, job.boundaries()).within(job.scope()).ask(engine).end();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            engine.saveCache().join();
        }

        @Override
        public void close() {
            archive.close();
        }
    }

    private EngineCore prefillServer(PlainModel model, int stages) {
        return start(model, stages, sharing());
    }

    private StorageTierOptions sharing() {
        return new StorageTierOptions(
                Optional.empty(), Optional.of(new SharedTierOptions(open(false), ID, "", true)));
    }

    private static EngineCore decodeServer(PlainModel model, int stages, Peer peer) {
        return start(model, stages, handingOver(peer));
    }

    private static StorageTierOptions handingOver(Peer peer) {
        return handingOver(peer, Optional.of(Duration.ofSeconds(30)));
    }

    private static StorageTierOptions handingOver(Peer peer, Optional<Duration> limit) {
        return new StorageTierOptions(
                Optional.empty(),
                Optional.empty(),
                Optional.of(
                        new HandOffTierOptions(
                                HandOffPeers.of(List.of(peer), HandOffMode.ALWAYS),
                                ID,
                                LEAST,
                                limit)));
    }

    /** Two replicas share the peers, so that these stay open. */
    @Test
    void closingAReplicaStopsItsPromptsOnPeers() throws Exception {
        PlainModel model = PlainEngine.model(true);
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        try (EngineCore prefill = prefillServer(model, 1)) {
            Peer slow =
                    new Peer(prefill) {
                        @Override
                        public void prefill(Job job, Duration limit, BooleanSupplier isAwaited)
                                throws HandOffException {
                            asked.countDown();
                            Await.until("nobody waits", () -> !isAwaited.getAsBoolean());
                            stopped.countDown();
                            throw new HandOffException(HandOffOutcome.CANCELLED, "it ended");
                        }
                    };
            StorageTierOptions stores = handingOver(slow);
            try (EngineCore other = start(model, 1, stores.share())) {
                EngineCore engine = start(model, 1, stores);
                ASK.ask(engine);
                Await.latch(asked);

                engine.close();

                assertEquals(0, stopped.getCount());
                assertTrue(other.acceptsRequests());
            }
        }
    }

    private static EngineCore start(PlainModel model, int stages, StorageTierOptions stores) {
        return PlainEngine.start(model, options(model, stores), stages);
    }

    private static EngineOptions options(PlainModel model, StorageTierOptions stores) {
        return PlainEngine.withStores(PlainEngine.options(2, 4 * BLOCKS), model, PLENTY, stores);
    }

    private static long count(Engine engine, HandOffOutcome outcome) {
        HandOffStatus status = engine.status().cache().handOff().orElseThrow();
        return status.outcomes().getOrDefault(outcome, 0L);
    }

    @ParameterizedTest
    @CsvSource({"true, 1, 2", "true, 2, 1", "false, 3, 1", "false, 1, 3"})
    void promptIsComputedByThePeerInItsScope(boolean forgets, int there, int here)
            throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        Ask ask = ASK.within(new CacheScope("tenant"));
        try (EngineCore prefill = prefillServer(model, there);
                EngineCore alone = PlainEngine.alone(model)) {
            Peer peer = new Peer(prefill);
            try (EngineCore engine = decodeServer(model, here, peer)) {
                Collected answer = ask.ask(engine);

                assertEquals(ask.alone(alone), answer.await());
                assertEquals(Optional.of(CacheSource.PEER), answer.end().cache().source());
                assertEquals(672, answer.end().tokens().cached(), "all but the last 28");
                assertEquals("tenant", peer.latest.scope().name());
                assertEquals(1, count(engine, HandOffOutcome.ADOPTED));
                assertEquals(1, PlainEngine.status(prefill).counts().tokens().generated());
                PlainEngine.assertNothingStays(engine);
            }
        }
    }

    /** The peer's last chunk waits until the decode server has read a block. */
    private EngineCore patientServer(PlainModel model) {
        EngineOptions options = options(model, sharing());
        PlainShard shard =
                new PlainShard(
                        model,
                        PlainEngine.ranges(model, 1).getFirst(),
                        PlainEngine.sizes(options)) {
                    @Override
                    protected void beforeBatch(Batch batch) {
                        int[] last = Arrays.copyOfRange(ASK.prompt(), 600, 672);
                        if (batch.chunks().stream()
                                .anyMatch(chunk -> Arrays.equals(chunk.tokens(), last))) {
                            Await.latch(read);
                        }
                    }
                };
        return PlainEngine.start(model, options, List.of(shard));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void firstBlocksArriveBeforeThePromptIsComputed(boolean forgets) throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        try (EngineCore prefill = patientServer(model);
                EngineCore alone = PlainEngine.alone(model);
                EngineCore engine = decodeServer(model, 1, new Peer(prefill))) {
            Collected answer = ASK.ask(engine);

            assertEquals(ASK.alone(alone), answer.await());
            assertEquals(0, read.getCount(), "the last chunk waited for it");
            assertEquals(672, answer.end().tokens().cached());
            assertEquals(1, count(engine, HandOffOutcome.ADOPTED));
            PlainEngine.assertNothingStays(engine);
        }
    }

    /** Blocks that arrived before the failure count, unless their model needs a state as well. */
    @ParameterizedTest
    @CsvSource({"true, 0", "false, 512"})
    void peerThatIsLostAfterTheFirstBlocksCostsOnlyTheRest(boolean forgets, int cached)
            throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        try (EngineCore prefill = prefillServer(model, 1);
                EngineCore alone = PlainEngine.alone(model)) {
            Peer dying =
                    new Peer(prefill) {
                        @Override
                        public void prefill(Job job, Duration limit, BooleanSupplier isAwaited)
                                throws HandOffException {
                            super.prefill(
                                    new Job(
                                            job.scope(),
                                            Arrays.copyOf(job.tokens(), 600),
                                            new int[] {600}),
                                    limit,
                                    isAwaited);
                            Await.latch(read);
                            throw new HandOffException(HandOffOutcome.LOST, "gone");
                        }
                    };
            try (EngineCore engine = decodeServer(model, 1, dying)) {
                Collected answer = ASK.ask(engine);

                assertEquals(ASK.alone(alone), answer.await());
                assertEquals(cached, answer.end().tokens().cached());
                assertEquals(1, count(engine, HandOffOutcome.LOST));
                PlainEngine.assertNothingStays(engine);
            }
        }
    }

    /** The request ends while the peer computes, and after a block has arrived. */
    @Test
    void cancelledRequestReleasesBlocksThatArrivedEarly() throws Exception {
        PlainModel model = PlainEngine.model(false);
        try (EngineCore prefill = prefillServer(model, 1)) {
            Peer slow =
                    new Peer(prefill) {
                        @Override
                        public void prefill(Job job, Duration limit, BooleanSupplier isAwaited)
                                throws HandOffException {
                            super.prefill(job, limit, isAwaited);
                            Await.until("the request ends", () -> !isAwaited.getAsBoolean());
                            throw new HandOffException(HandOffOutcome.CANCELLED, "it ended");
                        }
                    };
            try (EngineCore engine = decodeServer(model, 1, slow)) {
                Collected answer = new Collected();
                GenerationHandle handle = engine.submit(ASK.request(), answer);
                Await.latch(read);

                handle.cancel();

                Await.until("it is counted", () -> count(engine, HandOffOutcome.CANCELLED) == 1);
                PlainEngine.assertNothingStays(engine);
            }
        }
    }

    /** Else a busy peer would be slow, and all prompts that wait for it would be computed here. */
    @Test
    void timeLimitIncludesEarlierPromptsOfThisServer() throws Exception {
        PlainModel model = PlainEngine.model(true);
        Set<Duration> limits = ConcurrentHashMap.newKeySet();
        CountDownLatch both = new CountDownLatch(2);
        try (EngineCore prefill = prefillServer(model, 1)) {
            Peer busy =
                    new Peer(prefill) {
                        @Override
                        public void prefill(Job job, Duration limit, BooleanSupplier isAwaited)
                                throws HandOffException {
                            limits.add(limit);
                            both.countDown();
                            Await.latch(both);
                            super.prefill(job, limit, isAwaited);
                        }
                    };
            try (EngineCore engine = start(model, 1, handingOver(busy, Optional.empty()))) {
                Collected first = ASK.ask(engine);
                Collected second = Ask.of(text(3, 700), 4).ask(engine);
                first.await();
                second.await();

                assertEquals(Set.of(Duration.ofSeconds(60), Duration.ofSeconds(120)), limits);
                assertEquals(2, count(engine, HandOffOutcome.ADOPTED));
            }
        }
    }

    @Test
    void shortPromptStaysHere() throws Exception {
        PlainModel model = PlainEngine.model(true);
        Ask brief = Ask.of(text(2, LEAST), 4);
        try (EngineCore prefill = prefillServer(model, 1);
                EngineCore engine = decodeServer(model, 1, new Peer(prefill));
                EngineCore alone = PlainEngine.alone(model)) {
            assertEquals(brief.alone(alone), brief.ask(engine).await());
            assertEquals(0, PlainEngine.status(prefill).counts().tokens().prompt());
            assertEquals(Map.of(), engine.status().cache().handOff().orElseThrow().outcomes());
        }
    }

    @Test
    void promptWithOtherScalesOfAdaptersStaysHere() throws Exception {
        PlainModel model = PlainEngine.model(true);
        Ask scaled = ASK.within(CacheScope.common().with(new LoraScales(List.of(0.5f))));
        try (EngineCore prefill = prefillServer(model, 1);
                EngineCore engine = decodeServer(model, 1, new Peer(prefill));
                EngineCore alone = PlainEngine.alone(model)) {
            assertEquals(scaled.alone(alone), scaled.ask(engine).await());
            assertEquals(0, PlainEngine.status(prefill).counts().tokens().prompt());
            assertEquals(Map.of(), engine.status().cache().handOff().orElseThrow().outcomes());
        }
    }

    @Test
    void failureOfThePeerIsComputedHere() throws Exception {
        PlainModel model = PlainEngine.model(true);
        try (EngineCore prefill = prefillServer(model, 1);
                EngineCore alone = PlainEngine.alone(model)) {
            Peer failing =
                    new Peer(prefill) {
                        @Override
                        public void prefill(Job job, Duration limit, BooleanSupplier isAwaited)
                                throws HandOffException {
                            throw new HandOffException(HandOffOutcome.LOST, "gone");
                        }
                    };
            try (EngineCore engine = decodeServer(model, 1, failing)) {
                Collected answer = ASK.ask(engine);

                assertEquals(ASK.alone(alone), answer.await());
                assertEquals(0, answer.end().tokens().cached());
                assertEquals(1, count(engine, HandOffOutcome.LOST));
                Ask other = Ask.of(text(3, 700), 4);
                assertEquals(other.alone(alone), other.ask(engine).await());
                assertEquals(1, count(engine, HandOffOutcome.UNAVAILABLE), "it is suspended");
            }
        }
    }

    /** The peer ends while its blocks are read. */
    @Test
    void missingPartIsComputedHere() throws Exception {
        PlainModel model = PlainEngine.model(true);
        try (EngineCore prefill = prefillServer(model, 1);
                EngineCore alone = PlainEngine.alone(model)) {
            Peer forgetful =
                    new Peer(prefill) {
                        @Override
                        public void prefill(Job job, Duration limit, BooleanSupplier isAwaited)
                                throws HandOffException {
                            super.prefill(job, limit, isAwaited);
                            values.replaceAll(
                                    (key, value) ->
                                            key.endsWith(":0") ? new byte[value.length] : value);
                        }
                    };
            try (EngineCore engine = decodeServer(model, 1, forgetful)) {
                Collected answer = ASK.ask(engine);

                assertEquals(ASK.alone(alone), answer.await());
                assertEquals(0, answer.end().tokens().cached());
                assertEquals(1, count(engine, HandOffOutcome.INCOMPLETE));
                PlainEngine.assertNothingStays(engine);
            }
        }
    }
}
