package dev.varve.platform.engine;

import static dev.varve.platform.engine.PlainEngine.CONTEXT;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerRange;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.Speculator;
import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.sequence.KvCacheConfig;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.RollbackBufferSizes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Tests that a speculator that loses its features during requests gets all of them again. */
@Timeout(60)
class LostStatesTest {
    private static final int PARALLEL = 2;
    private static final int MOST = 3;
    private static final int COUNT = 30;
    private static final int LOSS_AT = 5;

    /** Proposes draft tokens that are never accepted, and loses its features at one proposal. */
    private static final class Forgetful implements Speculator {
        private final ScriptedSpeculator eyes;
        private final Set<Long> heardOf = new HashSet<>();
        private int proposals;
        private long losses;

        Forgetful(ScriptedSpeculator eyes) {
            this.eyes = eyes;
        }

        @Override
        public List<Integer> captures() {
            return eyes.captures();
        }

        @Override
        public int mostTokens() {
            return MOST;
        }

        @Override
        public long losses() {
            return losses;
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            if (++proposals == LOSS_AT) {
                losses++;
                heardOf.forEach(eyes::forget);
            }
            return sequences.stream().map(each -> Draft.of(1, 2, 3)).toList();
        }

        @Override
        public void observe(HiddenStates states) {
            heardOf.add(states.sequence());
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

    @Test
    void lostHiddenStatesAreRecomputedForTheSpeculator() throws Exception {
        PlainModel model = PlainEngine.model(true);
        List<Integer> captures =
                IntStream.rangeClosed(0, model.shape().layerCount()).boxed().toList();
        EngineOptions options =
                PlainEngine.withHost(
                        new EngineOptions(
                                new EngineOptions.Capacity(
                                        CONTEXT,
                                        PARALLEL,
                                        new KvCacheConfig(
                                                4 * CONTEXT,
                                                EngineOptions.Capacity.rowsFor(PARALLEL),
                                                new RollbackBufferSizes(PARALLEL, 1 + MOST))),
                                64),
                        model,
                        64 << 20);
        PlainShard.Sizes plain = PlainEngine.sizes(options);
        PlainShard shard =
                new PlainShard(
                        model,
                        new LayerRange(0, model.shape().layerCount()),
                        new PlainShard.Sizes(
                                plain.slots(),
                                plain.stateRows(),
                                captures,
                                plain.rollbackBuffers()));
        ScriptedSpeculator eyes =
                new ScriptedSpeculator(
                        List.of(), MOST, depth -> 0, model.shape().vocabularySize(), captures);
        try (EngineCore engine =
                EngineCore.start(
                        new ShardPipeline(List.of(shard)),
                        model.shape(),
                        options,
                        Optional.of(
                                new SpeculationOptions(
                                        new Forgetful(eyes), MOST, OptionalInt.of(MOST))))) {
            int[] prompt = IntStream.range(0, 300).map(i -> 3 + i * 7 % 50).toArray();
            Ask ask = Ask.of(prompt, COUNT);

            List<Integer> answer = ask.ask(engine).await();

            assertEquals(3, eyes.seen().size(), "lost, forgotten, and at the end");
            TreeMap<Integer, List<Float>> before = eyes.seen().getFirst();
            TreeMap<Integer, List<Float>> after = eyes.seen().getLast();
            assertEquals(0, after.firstKey());
            assertEquals(after.lastKey() + 1, after.size(), "without a gap");
            // The last tokens are chosen and never computed.
            assertTrue(
                    after.size() >= prompt.length + answer.size() - 2, after.lastKey() + " seen");
            before.forEach((position, values) -> assertEquals(values, after.get(position)));
        }
    }
}
