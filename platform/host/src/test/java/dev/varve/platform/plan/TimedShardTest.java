package dev.varve.platform.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardResult;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

class TimedShardTest {
    private static final PlainModel MODEL = PlainModel.attentionOnly(1, 1024);

    /** Records the position range of each step. */
    private static final class RecordingShard extends PlainShard {
        private final List<String> misplaced = new ArrayList<>();
        private int end;

        RecordingShard() {
            super(
                    MODEL,
                    MODEL.shape().allLayers(),
                    Sizes.of(BlockBenchmark.shardOptions(MODEL, ModelSettings.single(256))));
        }

        @Override
        public CompletableFuture<ShardResult> forward(
                Batch batch, Optional<LayerActivations> boundary) {
            SequenceChunk chunk = batch.chunks().getFirst();
            int begin = chunk.firstPosition();
            if (begin != 0 && begin != end) {
                misplaced.add("step at " + begin + " after one that ended at " + end);
            }
            end = begin + chunk.tokens().length;
            if (end > TimedShard.SLOTS) {
                misplaced.add("step up to " + end);
            }
            return super.forward(batch, boundary);
        }
    }

    /** A state row or a window of a family refuses a step that does not follow the one before. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void stepsWithSeveralTokensFollowEachOther(int tokens) {
        RecordingShard shard = new RecordingShard();

        try (TimedShard timed = new TimedShard(shard, MODEL)) {
            double ratio = timed.checkRatio(tokens);

            assertEquals(Optional.empty(), shard.misplaced.stream().findFirst());
            assertTrue(ratio > 0, "ratio " + ratio);
        }
    }
}
