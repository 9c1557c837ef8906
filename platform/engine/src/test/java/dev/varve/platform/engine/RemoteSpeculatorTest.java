package dev.varve.platform.engine;

import static dev.varve.platform.engine.PlainEngine.CONTEXT;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.platform.draft.RemoteDraftStatus;
import dev.varve.platform.draft.RemoteSpeculator;
import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.sequence.KvCacheConfig;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.RemoteConnectionTraffic;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.platform.shard.ShardHealth;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Tests that shards apply earlier draft results while another process proposes draft tokens. */
@Timeout(60)
class RemoteSpeculatorTest {
    private static final int PARALLEL = 2;
    private static final int MOST = 3;
    private static final int COUNT = 40;
    private static final PlainModel MODEL = PlainModel.mixed(CONTEXT);

    /** A speculator of which every second draft token is correct; tracks whether it is active. */
    private static final class Distant implements RemoteSpeculator {
        private final ScriptedSpeculator script;
        private final AtomicBoolean atWork = new AtomicBoolean();
        private List<DraftRequest> begun = List.of();

        Distant(List<int[]> texts) {
            script =
                    new ScriptedSpeculator(
                            texts,
                            MOST,
                            depth -> depth % 2,
                            MODEL.shape().vocabularySize(),
                            List.of());
        }

        @Override
        public int mostTokens() {
            return MOST;
        }

        @Override
        public void begin(List<DraftRequest> sequences) {
            begun = sequences;
            atWork.set(true);
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            assertEquals(begun, sequences);
            atWork.set(false);
            return script.propose(sequences);
        }

        @Override
        public RemoteDraftStatus status() {
            return new RemoteDraftStatus(
                    "afar",
                    0,
                    ShardHealth.ready(),
                    new RemoteDraftStatus.Responses(script.proposals(), 0, 0),
                    new RemoteConnectionTraffic(0, 0, RemoteConnectionTraffic.PayloadPath.STREAM));
        }

        @Override
        public void forget(long sequence) {
            script.forget(sequence);
        }

        @Override
        public void close() {
            script.close();
        }
    }

    /** A shard that records when its caches are changed; the change can fail. */
    private static final class ChangedShard extends PlainShard {
        private final AtomicBoolean guessing;
        private final AtomicInteger whileGuessing = new AtomicInteger();
        private final AtomicInteger calls = new AtomicInteger();
        private final AtomicInteger failsAfter = new AtomicInteger(Integer.MAX_VALUE);
        private final AtomicInteger losesAfter = new AtomicInteger(Integer.MAX_VALUE);

        ChangedShard(int stage, int stages, EngineOptions options, AtomicBoolean guessing) {
            super(MODEL, PlainEngine.ranges(MODEL, stages).get(stage), PlainEngine.sizes(options));
            this.guessing = guessing;
        }

        @Override
        public CompletableFuture<Void> change(CacheChanges changes) {
            calls.incrementAndGet();
            whileGuessing.addAndGet(guessing.get() ? 1 : 0);
            if (failsAfter.getAndDecrement() == 0) {
                return CompletableFuture.failedFuture(
                        new VarveException(VarveException.Kind.BACKEND_FAILED, "made to fail"));
            }
            if (losesAfter.getAndDecrement() == 0) {
                lose("test");
                comeBack();
            }
            return super.change(changes);
        }
    }

    private static EngineOptions options() {
        return new EngineOptions(
                new EngineOptions.Capacity(
                        CONTEXT,
                        PARALLEL,
                        new KvCacheConfig(
                                4 * CONTEXT,
                                EngineOptions.Capacity.rowsFor(PARALLEL),
                                new RollbackBufferSizes(PARALLEL, 1 + MOST))),
                64);
    }

    private static List<Ask> asks() {
        return List.of(
                Ask.of(PlainEngine.text(3, 90), COUNT), Ask.of(PlainEngine.text(4, 130), COUNT));
    }

    private static List<List<Integer>> plain() throws Exception {
        List<List<Integer>> answers = new ArrayList<>();
        try (EngineCore engine = PlainEngine.alone(MODEL)) {
            for (Ask ask : asks()) {
                answers.add(ask.alone(engine));
            }
        }
        return answers;
    }

    private static List<int[]> texts(List<List<Integer>> answers) {
        List<int[]> texts = new ArrayList<>();
        for (int i = 0; i < answers.size(); i++) {
            int[] answer = answers.get(i).stream().mapToInt(Integer::intValue).toArray();
            texts.add(PlainEngine.join(asks().get(i).prompt(), answer));
        }
        return texts;
    }

    /** An engine with a remote speculator, and its shards. */
    private record Rig(EngineCore engine, List<ChangedShard> shards) implements AutoCloseable {
        static Rig of(List<List<Integer>> answers, int stages) {
            Distant distant = new Distant(texts(answers));
            List<ChangedShard> shards = new ArrayList<>();
            for (int stage = 0; stage < stages; stage++) {
                shards.add(new ChangedShard(stage, stages, options(), distant.atWork));
            }
            return new Rig(
                    EngineCore.start(
                            new ShardPipeline(shards),
                            MODEL.shape(),
                            options(),
                            Optional.of(
                                    new SpeculationOptions(distant, MOST, OptionalInt.of(MOST)))),
                    shards);
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shardsSettleDraftsWhileOthersAreProposed(int stages) throws Exception {
        List<List<Integer>> plain = plain();

        try (Rig rig = Rig.of(plain, stages)) {
            for (int i = 0; i < plain.size(); i++) {
                Collected answer = asks().get(i).ask(rig.engine());

                assertEquals(plain.get(i), answer.await(), "text " + i);
                assertTrue(answer.end().speculation().accepted() > COUNT / 3, "" + answer.end());
            }
            assertTrue(
                    PlainEngine.status(rig.engine()).draft().orElseThrow().responses().count() > 0);
            for (ChangedShard shard : rig.shards()) {
                assertTrue(shard.calls.get() > COUNT / 2, "changes " + shard.calls);
                // Threads of several stages may apply it later.
                assertTrue(
                        stages > 1 || shard.whileGuessing.get() == shard.calls.get(),
                        shard.whileGuessing + " of " + shard.calls + " while it guessed");
            }
        }
    }

    @Test
    void failedCacheChangeFailsTheNextBatch() throws Exception {
        List<List<Integer>> plain = plain();

        try (Rig rig = Rig.of(plain, 1)) {
            rig.shards().getFirst().failsAfter.set(4);
            Collected first = asks().get(0).ask(rig.engine());

            ExecutionException failure = assertThrows(ExecutionException.class, first::await);
            assertTrue(failure.getMessage().contains("made to fail"), failure.getMessage());
            assertEquals(plain.get(1), asks().get(1).ask(rig.engine()).await());
        }
    }

    @Test
    void shardLostDuringACacheChangeIsRecomputed() throws Exception {
        List<List<Integer>> plain = plain();

        try (Rig rig = Rig.of(plain, 2)) {
            for (int round = 0; round < 6; round++) {
                ChangedShard shard = rig.shards().get(round % 2);
                shard.losesAfter.set(3 * round);
                List<Collected> answers = PlainEngine.askAll(rig.engine(), asks());

                for (int i = 0; i < plain.size(); i++) {
                    assertEquals(plain.get(i), answers.get(i).await(), "round " + round);
                }
                assertTrue(shard.losesAfter.get() < 0, "it was never lost in round " + round);
            }
        }
    }
}
