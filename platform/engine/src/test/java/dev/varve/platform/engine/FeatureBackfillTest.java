package dev.varve.platform.engine;

import static dev.varve.platform.engine.PlainEngine.CONTEXT;
import static dev.varve.platform.engine.PlainEngine.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerRange;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.Speculator;
import dev.varve.contracts.SlotStore;
import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.DiskTierOptions;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.KvCacheConfig;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.platform.store.ArchiveSettings;
import dev.varve.platform.store.DiskArchive;
import dev.varve.platform.store.Namespace;
import dev.varve.testkit.Await;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Tests that a speculator gets the hidden states of all positions of a sequence, including those of
 * a cached prefix, with the same bits as in an uncached computation.
 */
@Timeout(120)
class FeatureBackfillTest {
    private static final int MOST = 5;
    private static final int PARALLEL = 2;
    private static final int BLOCKS = CONTEXT / KvSlotSpan.BLOCK;
    private static final long PLENTY = 64 << 20;
    private static final int[] PROMPT = text(1, 600);
    private static final Ask ASK = Ask.of(PROMPT, 20, 500);

    @TempDir private Path folder;

    /** A shard that is lost in the middle of a batch, and returns at once with empty caches. */
    private static final class FragileShard extends PlainShard {
        private int batches;
        private int losesAt = Integer.MAX_VALUE;

        FragileShard(PlainModel model, LayerRange range, Sizes sizes) {
            super(model, range, sizes);
        }

        synchronized void loseAfter(int more) {
            losesAt = batches + more;
        }

        @Override
        protected synchronized void beforeBatch(Batch batch) {
            if (batches++ == losesAt) {
                lose("test");
                comeBack();
            }
        }
    }

    /** Proposes random draft tokens, and forwards its features to another speculator. */
    private record Careless(ScriptedSpeculator eyes, Random random) implements Speculator {
        @Override
        public List<Integer> captures() {
            return eyes.captures();
        }

        @Override
        public int mostTokens() {
            return MOST;
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            return sequences.stream()
                    .map(each -> Draft.of(random.ints(each.most(), 0, 61).toArray()))
                    .toList();
        }

        @Override
        public void observe(HiddenStates states) {
            eyes.observe(states);
        }

        @Override
        public void forget(long sequence) {
            eyes.forget(sequence);
        }

        @Override
        public void close() {
            eyes.close();
        }
    }

    /** An engine with a speculator. */
    private static final class Bed implements AutoCloseable {
        private final ScriptedSpeculator speculator;
        private final List<FragileShard> shards;
        private final EngineCore engine;

        Bed(PlainModel model, EngineOptions options, int stages, List<Integer> captures) {
            speculator =
                    new ScriptedSpeculator(
                            List.of(), MOST, depth -> 0, model.shape().vocabularySize(), captures);
            PlainShard.Sizes plain = PlainEngine.sizes(options);
            PlainShard.Sizes sizes =
                    new PlainShard.Sizes(
                            plain.slots(), plain.stateRows(), captures, plain.rollbackBuffers());
            shards =
                    PlainEngine.ranges(model, stages).stream()
                            .map(range -> new FragileShard(model, range, sizes))
                            .toList();
            engine =
                    EngineCore.start(
                            new ShardPipeline(shards),
                            model.shape(),
                            options,
                            Optional.of(
                                    new SpeculationOptions(
                                            new Careless(speculator, new Random(7)),
                                            MOST,
                                            OptionalInt.of(MOST))));
        }

        Collected ask(Ask ask, CacheSource source) throws Exception {
            Collected answer = ask.ask(engine);
            answer.await();
            assertEquals(
                    Optional.of(source), answer.end().cache().source(), answer.end()::toString);
            return answer;
        }

        /** Returns the features of the sequence that ended last. */
        TreeMap<Integer, List<Float>> seen() {
            return speculator.seen().getLast();
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    private static EngineOptions options(int blocks) {
        return new EngineOptions(
                new EngineOptions.Capacity(
                        CONTEXT,
                        PARALLEL,
                        new KvCacheConfig(
                                blocks * KvSlotSpan.BLOCK,
                                EngineOptions.Capacity.rowsFor(PARALLEL),
                                new RollbackBufferSizes(PARALLEL, 1 + MOST))),
                64);
    }

    private static List<Integer> all(PlainModel model) {
        return IntStream.rangeClosed(0, model.shape().layerCount()).boxed().toList();
    }

    private static Bed withHost(PlainModel model, int blocks) {
        return new Bed(model, PlainEngine.withHost(options(blocks), model, PLENTY), 1, all(model));
    }

    private Bed withDisk(PlainModel model, int stages, List<Integer> captures, StoreFaults faults)
            throws IOException {
        byte[] id = new byte[32];
        ArchiveSettings settings =
                new ArchiveSettings(
                        folder,
                        new Namespace(id, Map.of()),
                        1 << 16,
                        false,
                        new ArchiveSettings.Limits(PLENTY, 0, Optional.empty()),
                        Optional.empty(),
                        InstantSource.system());
        DiskTierOptions disk =
                new DiskTierOptions(
                        DiskArchive.open(settings, faults.around(new SlotStore.Provider())),
                        id,
                        "");
        return new Bed(
                model,
                PlainEngine.withDisk(options(4 * BLOCKS), model, PLENTY, disk),
                stages,
                captures);
    }

    /** Returns the features of a prompt and its response without a cached prefix. */
    private static Map<Integer, List<Float>> whole(PlainModel model, Ask ask) throws Exception {
        try (Bed bed = new Bed(model, options(4 * BLOCKS), 1, all(model))) {
            ask.within(CacheScope.none()).ask(bed.engine).await();
            return bed.seen();
        }
    }

    private static void assertWhole(
            Map<Integer, List<Float>> whole, TreeMap<Integer, List<Float>> seen, int prompt) {
        assertEquals(0, seen.firstKey(), "from the first position on");
        assertEquals(seen.lastKey() + 1, seen.size(), "without a gap");
        assertTrue(seen.lastKey() >= prompt, "up to the answer: " + seen.lastKey());
        assertSame(whole, seen);
    }

    private static void assertSame(
            Map<Integer, List<Float>> whole, Map<Integer, List<Float>> seen) {
        seen.forEach(
                (position, values) -> {
                    if (whole.containsKey(position)) {
                        assertEquals(whole.get(position), values, "position " + position);
                    }
                });
    }

    private static Ask next(Collected answer, long seed) throws Exception {
        return ASK.next(answer.await(), text(seed, 40));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void featuresContinueWithAResidentSequence(boolean forgets) throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        try (Bed bed = withHost(model, 6 * BLOCKS)) {
            // Two requests at once; one waits for the other's prompt.
            List<Collected> twins = PlainEngine.askAll(bed.engine, List.of(ASK, ASK));
            for (Collected twin : twins) {
                twin.await();
            }
            for (TreeMap<Integer, List<Float>> seen : bed.speculator.seen()) {
                assertWhole(whole(model, ASK), seen, ASK.prompt().length);
            }
            // One request continues the whole sequence, another one a copy of its prefix.
            Ask next = next(twins.getFirst(), 2);

            bed.ask(next, CacheSource.DEVICE);

            assertWhole(whole(model, next), bed.seen(), next.prompt().length);
            Ask other = Ask.of(PlainEngine.join(Arrays.copyOf(PROMPT, 550), text(3, 40)), 20);
            Collected answer = other.ask(bed.engine);
            answer.await();
            assertTrue(answer.end().tokens().cached() >= 500, answer.end()::toString);
            assertWhole(whole(model, other), bed.seen(), other.prompt().length);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @ByDay(1)
    void featuresAreRestoredFromHostMemory(boolean forgets) throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        try (Bed bed = withHost(model, 2 * BLOCKS)) {
            Collected first = ASK.ask(bed.engine);
            Ask next = next(first, 2);
            PlainEngine.pushOff(bed.engine);

            bed.ask(next, CacheSource.HOST);

            assertWhole(whole(model, next), bed.seen(), next.prompt().length);
            PlainEngine.pushOff(bed.engine);

            bed.ask(ASK, CacheSource.HOST);

            assertWhole(whole(model, ASK), bed.seen(), ASK.prompt().length);
            PlainEngine.assertNothingStays(bed.engine);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, 1, 2", "true, 2, 1", "false, 3, 1", "false, 1, 3"})
    @ByDay({1, 4})
    void featuresAreRestoredFromDiskUnderAnotherSplit(boolean forgets, int before, int after)
            throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        try (Bed bed = withDisk(model, before, all(model), new StoreFaults())) {
            ASK.ask(bed.engine).await();
        }
        try (Bed bed = withDisk(model, after, all(model), new StoreFaults())) {
            bed.ask(ASK, CacheSource.DISK);

            assertWhole(whole(model, ASK), bed.seen(), ASK.prompt().length);
        }
    }

    /** An earlier speculator captured other layers: its features are not used. */
    @Test
    void featuresOfOtherLayersAreIgnored() throws Exception {
        PlainModel model = PlainEngine.model(true);
        List<Integer> some = List.of(0, 2);
        try (Bed bed = withDisk(model, 1, some, new StoreFaults())) {
            ASK.ask(bed.engine).await();
        }
        try (Bed bed = withDisk(model, 1, all(model), new StoreFaults())) {
            Collected answer = bed.ask(ASK, CacheSource.DISK);

            assertEquals(answer.end().tokens().cached(), bed.seen().firstKey());
            assertSame(whole(model, ASK), bed.seen());
        }
    }

    /** A prefix that was computed without speculation has no features, and is still found. */
    @Test
    void prefixWithoutFeaturesIsStillUsed() throws Exception {
        PlainModel model = PlainEngine.model(true);
        try (Bed bed = withDisk(model, 1, List.of(), new StoreFaults())) {
            ASK.ask(bed.engine).await();
        }
        try (Bed bed = withDisk(model, 2, all(model), new StoreFaults());
                EngineCore alone = PlainEngine.alone(model)) {
            Collected answer = bed.ask(ASK, CacheSource.DISK);

            assertEquals(ASK.alone(alone), answer.await());
            assertEquals(answer.end().tokens().cached(), bed.seen().firstKey());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void damagedFeaturesAreIgnored(boolean forgets) throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        try (Bed bed = withDisk(model, 1, all(model), new StoreFaults())) {
            ASK.ask(bed.engine).await();
        }
        StoreFaults faults = new StoreFaults();
        faults.damageFeatures();
        try (Bed bed = withDisk(model, 1, all(model), faults);
                EngineCore alone = PlainEngine.alone(model)) {
            Collected answer = bed.ask(ASK, CacheSource.DISK);

            assertEquals(ASK.alone(alone), answer.await());
            assertEquals(answer.end().tokens().cached(), bed.seen().firstKey());
            assertTrue(faults.damagedFeatures() > 0);
        }
    }

    /** Too few slots for two sequences: one is preempted and continues at its position. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @ByDay(1)
    void preemptedSequenceResumesWithItsFeatures(boolean forgets) throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        List<Ask> asks = List.of(Ask.of(text(3, 500), 200, 400), Ask.of(text(4, 480), 220, 400));
        List<Map<Integer, List<Float>>> whole = new ArrayList<>();
        for (Ask ask : asks) {
            whole.add(whole(model, ask));
        }
        try (Bed bed = withHost(model, BLOCKS + 1)) {
            for (Collected answer : PlainEngine.askAll(bed.engine, asks)) {
                answer.await();
            }

            assertTrue(
                    PlainEngine.status(bed.engine).counts().preemptions() > 0,
                    "there was too much room");
            for (TreeMap<Integer, List<Float>> seen : bed.speculator.seen()) {
                int which = whole.get(0).get(0).equals(seen.get(0)) ? 0 : 1;
                assertWhole(whole.get(which), seen, 0);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"true, 2", "true, 14", "false, 2", "false, 14"})
    void lostSequenceResumesWithItsFeatures(boolean forgets, int batches) throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        try (Bed bed = withHost(model, 4 * BLOCKS)) {
            Collected first = ASK.ask(bed.engine);
            Ask next = next(first, 2);
            Await.until("it is kept", () -> bed.engine.status().cache().host().entries() > 0);
            bed.shards.getFirst().loseAfter(batches);

            next.ask(bed.engine).await();

            assertEquals(1, PlainEngine.status(bed.engine).counts().replays());
            assertWhole(whole(model, next), bed.seen(), next.prompt().length);
        }
    }

    /** Features have a part of host memory, in which the oldest ones are evicted. */
    @Test
    void featuresStayWithinTheirBudget() throws Exception {
        PlainModel model = PlainEngine.model(true);
        long little = 256 << 10;
        try (Bed bed =
                        new Bed(
                                model,
                                PlainEngine.withHost(options(4 * BLOCKS), model, little),
                                1,
                                all(model));
                EngineCore alone = PlainEngine.alone(model)) {
            for (long seed = 20; seed < 28; seed++) {
                Ask ask = Ask.of(text(seed, 600), 20, 500);

                List<Integer> tokens = ask.ask(bed.engine).await();

                assertEquals(ask.alone(alone), tokens);
                assertEquals(0, bed.seen().firstKey());
                assertTrue(PlainEngine.status(bed.engine).cache().host().usedBytes() <= little);
            }
            PlainEngine.assertNothingStays(bed.engine);
        }
    }
}
