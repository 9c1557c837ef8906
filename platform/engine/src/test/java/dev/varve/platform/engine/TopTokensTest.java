package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sampling.TokenMask;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.TopTokens;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Answers from the best tokens of rows, where those decide, against answers from whole rows. */
@Timeout(120)
class TopTokensTest {
    private static final PlainModel MODEL = PlainEngine.model(false);
    private static final int COUNT = 100;
    private static final int[] PROMPT = {3, 1, 4, 1, 5};
    private static final EngineOptions OPTIONS = PlainEngine.options(2, 8);

    /**
     * Finds the best tokens of the rows for which they were requested, as a device does, and
     * returns no logits where they suffice.
     */
    private static final class TopShard extends PlainShard {
        private static final int BEST = 30;

        private final AtomicInteger requested = new AtomicInteger();
        private final AtomicInteger sufficient = new AtomicInteger();

        TopShard(LayerRange range) {
            super(MODEL, range, PlainEngine.sizes(OPTIONS));
        }

        @Override
        public CompletableFuture<ShardResult> forward(
                Batch batch, Optional<LayerActivations> boundary) {
            return super.forward(batch, boundary).thenApply(result -> reduced(batch, result));
        }

        private ShardResult reduced(Batch batch, ShardResult result) {
            Map<Integer, TopTokens> top = new HashMap<>();
            int row = 0;
            for (int i = 0; i < batch.chunks().size() && result.rows() > 0; i++) {
                SequenceChunk chunk = batch.chunks().get(i);
                for (int end = row + chunk.outputCount(); row < end; row++) {
                    if (chunk.outputs().isTop()) {
                        requested.incrementAndGet();
                        TopTokens best = best(result.logits(), row);
                        if (batch.topCheck().suffices(i, best)) {
                            top.put(row, best);
                        }
                    }
                }
            }
            sufficient.addAndGet(top.size());
            top.keySet().forEach(each -> hide(result.logits(), each));
            return new ShardResult(
                    result.logits(),
                    result.best(),
                    result.rows(),
                    result.boundary(),
                    result.features(),
                    top,
                    result.scores());
        }

        private static TopTokens best(float[] logits, int row) {
            int vocabulary = MODEL.shape().vocabularySize();
            float[] own = Arrays.copyOfRange(logits, row * vocabulary, (row + 1) * vocabulary);
            float[] sorted = own.clone();
            Arrays.sort(sorted);
            float least = sorted[vocabulary - BEST];
            int[] ids = IntStream.range(0, vocabulary).filter(i -> own[i] >= least).toArray();
            float[] values = new float[ids.length];
            for (int i = 0; i < ids.length; i++) {
                values[i] = own[ids[i]];
            }
            return new TopTokens(ids, values);
        }

        private static void hide(float[] logits, int row) {
            int vocabulary = MODEL.shape().vocabularySize();
            Arrays.fill(logits, row * vocabulary, (row + 1) * vocabulary, Float.NaN);
        }
    }

    /** Allows few tokens at every third position, and even ones otherwise. */
    private static class Guide implements TokenConstraint {
        private int position;

        @Override
        public OptionalInt forced() {
            return OptionalInt.empty();
        }

        @Override
        public boolean constrains() {
            return true;
        }

        @Override
        public boolean allows(int token) {
            return position % 3 == 0 ? token % 30 == 7 : token % 2 == 0;
        }

        @Override
        public TokenMask mask() {
            return TokenMask.ofTokens(
                    IntStream.range(0, MODEL.shape().vocabularySize())
                            .filter(this::allows)
                            .toArray());
        }

        @Override
        public void accept(int token) {
            assertTrue(allows(token));
            position++;
        }
    }

    private static SamplingOptions sampling(float temperature, int topK, float presence) {
        return new SamplingOptions(
                temperature,
                new SamplingOptions.Cutoffs(topK, 0.95f, 0),
                new SamplingOptions.Penalties(1, presence, 0),
                OptionalLong.of(7),
                Map.of());
    }

    private static Collected ask(
            EngineCore engine, SamplingOptions sampling, TokenConstraint constraint) {
        Collected collected = new Collected();
        engine.submit(
                new GenerationRequest(
                        GenerationRequest.Prompt.of(PROMPT),
                        new GenerationRequest.Ending(COUNT, Set.of()),
                        new GenerationRequest.Choice(sampling, OptionalInt.empty(), constraint)),
                collected);
        return collected;
    }

    private static List<List<Integer>> answers(
            EngineCore engine, SamplingOptions first, SamplingOptions second) throws Exception {
        Collected plain = ask(engine, first, TokenConstraint.none());
        Collected guided = ask(engine, second, new Guide());
        return List.of(plain.await(), guided.await());
    }

    /** Greedy choices with a penalty, and drawn ones, each beside those of a constraint. */
    @ParameterizedTest
    @ValueSource(floats = {0, 0.8f})
    void decisiveBestTokensGiveTheAnswersOfWholeRows(float temperature) throws Exception {
        SamplingOptions penalised = sampling(temperature, 3, 1.5f);
        SamplingOptions guided = sampling(temperature, 3, 0);
        TopShard shard = new TopShard(MODEL.shape().allLayers());
        try (EngineCore whole = PlainEngine.start(MODEL, OPTIONS, 1);
                EngineCore top = PlainEngine.start(MODEL, OPTIONS, List.of(shard))) {
            assertEquals(answers(whole, penalised, guided), answers(top, penalised, guided));
        }

        int wholeRows = shard.requested.get() - shard.sufficient.get();
        assertTrue(shard.sufficient.get() > COUNT / 2, shard.sufficient + " rows sufficed");
        assertTrue(wholeRows > 0, "every row sufficed");
    }

    @Test
    void shardsOfOtherThreadsAreNotAskedForRowsThatDependOnTheRequest() throws Exception {
        SamplingOptions penalised = sampling(0, 0, 1.5f);
        List<TopShard> shards = PlainEngine.ranges(MODEL, 2).stream().map(TopShard::new).toList();
        try (EngineCore whole = PlainEngine.start(MODEL, OPTIONS, 1);
                EngineCore top = PlainEngine.start(MODEL, OPTIONS, shards)) {
            assertEquals(answers(whole, penalised, penalised), answers(top, penalised, penalised));
        }

        assertEquals(0, shards.getLast().requested.get());
    }

    @Test
    void aFailingConstraintFailsItsOwnRequestOnly() throws Exception {
        TokenConstraint broken =
                new Guide() {
                    private int accepted;

                    @Override
                    public boolean allows(int token) {
                        if (accepted > 3) {
                            throw new IllegalStateException("broken");
                        }
                        return super.allows(token);
                    }

                    @Override
                    public void accept(int token) {
                        super.accept(token);
                        accepted++;
                    }
                };
        SamplingOptions greedy = SamplingOptions.greedy();
        try (EngineCore whole = PlainEngine.start(MODEL, OPTIONS, 1);
                EngineCore top =
                        PlainEngine.start(
                                MODEL, OPTIONS, List.of(new TopShard(MODEL.shape().allLayers())))) {
            Collected other = ask(top, greedy, new Guide());
            Collected failing = ask(top, greedy, broken);

            assertEquals(ask(whole, greedy, new Guide()).await(), other.await());
            assertThrows(ExecutionException.class, failing::end);
        }
    }
}
