package dev.varve.platform.engine;

import static dev.varve.platform.engine.PlainEngine.join;
import static dev.varve.platform.engine.PlainEngine.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.SequenceChunk;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Prompts whose last tokens are in the batch of the tokens before their last checkpoint. */
@Timeout(60)
class CheckpointBatchTest {
    private static final int CHECKPOINT = 100;
    private static final int[] PROMPT = text(1, 110);

    /** Lengths of the chunks of each batch. */
    private final List<List<Integer>> batches = Collections.synchronizedList(new ArrayList<>());

    private EngineCore start(PlainModel model, int stages, boolean host) {
        EngineOptions sizes = PlainEngine.options(2, 8);
        EngineOptions options = host ? PlainEngine.withHost(sizes, model, 64 << 20) : sizes;
        List<PlainShard> shards = new ArrayList<>();
        for (int stage = 0; stage < stages; stage++) {
            boolean first = stage == 0;
            shards.add(
                    new PlainShard(
                            model,
                            PlainEngine.ranges(model, stages).get(stage),
                            PlainEngine.sizes(options)) {
                        @Override
                        protected void beforeBatch(Batch batch) {
                            if (first) {
                                batches.add(lengths(batch));
                            }
                        }
                    });
        }
        return PlainEngine.start(model, options, shards);
    }

    private static List<Integer> lengths(Batch batch) {
        return batch.chunks().stream().map((SequenceChunk chunk) -> chunk.tokens().length).toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void lastTokensAreInTheBatchOfTheirCheckpoint(boolean host) throws Exception {
        PlainModel model = PlainModel.recurrentInside(PlainEngine.CONTEXT);
        Ask ask = Ask.of(PROMPT, 3, CHECKPOINT);
        Ask other = Ask.of(join(Arrays.copyOf(PROMPT, CHECKPOINT), text(2, 20)), 3, CHECKPOINT);
        try (EngineCore engine = start(model, 1, host);
                EngineCore alone = PlainEngine.alone(model)) {
            assertEquals(ask.alone(alone), ask.ask(engine).await());
            assertEquals(List.of(CHECKPOINT, 10), batches.getFirst());

            Collected resumed = other.ask(engine);

            assertEquals(other.alone(alone), resumed.await());
            assertEquals(CHECKPOINT, resumed.end().tokens().cached());
            PlainEngine.assertNothingStays(engine);
        }
    }

    @Test
    void overlappingBatchesOfManyTokensStayApart() throws Exception {
        PlainModel model = PlainModel.recurrentInside(PlainEngine.CONTEXT);
        Ask ask = Ask.of(text(3, 400), 2, 150);
        try (EngineCore engine = start(model, 3, false);
                EngineCore alone = PlainEngine.alone(model)) {
            assertEquals(ask.alone(alone), ask.ask(engine).await());

            assertTrue(batches.stream().allMatch(each -> each.size() == 1), batches::toString);
        }
    }

    /** A window is moved before a batch, so it cannot be continued in it. */
    @Test
    void slidingWindowsEndABatchAtACheckpoint() throws Exception {
        PlainModel model = PlainModel.mixed(PlainEngine.CONTEXT);
        Ask ask = Ask.of(PROMPT, 2, CHECKPOINT);
        try (EngineCore engine = start(model, 1, true);
                EngineCore alone = PlainEngine.alone(model)) {
            assertEquals(ask.alone(alone), ask.ask(engine).await());

            assertEquals(List.of(List.of(CHECKPOINT), List.of(10)), batches.subList(0, 2));
        }
    }
}
