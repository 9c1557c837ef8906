package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;

/** Tests how many requests run at the same time in a pool of slots. */
@Timeout(60)
class AdmissionTest {
    private static final int PARALLEL = 4;
    private static final PlainModel MODEL = PlainModel.mixed(2 * KvSlotSpan.BLOCK);

    /** Returns the most sequences of a batch for {@code count} simultaneous requests. */
    private static int mostTogether(int context, int slots, int count) throws Exception {
        EngineOptions options =
                new EngineOptions(EngineOptions.Capacity.of(context, PARALLEL, slots), 8);
        List<Integer> sizes = new ArrayList<>();
        PlainShard shard =
                new PlainShard(
                        MODEL,
                        MODEL.shape().allLayers(),
                        new PlainShard.Sizes(slots, options.capacity().caches().stateRows())) {
                    @Override
                    protected void beforeBatch(Batch batch) {
                        sizes.add(batch.chunks().size());
                    }
                };
        List<Engine.NewRequest> submissions = new ArrayList<>();
        List<Collected> answers = new ArrayList<>();
        for (int i = 0; i < PARALLEL; i++) {
            answers.add(new Collected());
            submissions.add(
                    new Engine.NewRequest(
                            Collected.request(new int[] {i, i, i}, 0, count), answers.getLast()));
        }
        try (EngineCore engine =
                EngineCore.start(new ShardPipeline(List.of(shard)), MODEL.shape(), options)) {
            engine.submit(submissions);
            for (Collected each : answers) {
                assertEquals(count, each.await().size());
            }
        }
        return sizes.stream().mapToInt(Integer::intValue).max().orElseThrow();
    }

    @Test
    void requestsThatFitTheirFirstBlockNeedNoMoreRoom() throws Exception {
        assertEquals(PARALLEL, mostTogether(KvSlotSpan.BLOCK, PARALLEL * KvSlotSpan.BLOCK, 60));
    }

    /** Room for two requests, and for the next block of each. */
    @Test
    void nextBlockOfARunningRequestIsReserved() throws Exception {
        int context = 2 * KvSlotSpan.BLOCK;

        assertEquals(2, mostTogether(context, PARALLEL * KvSlotSpan.BLOCK, context - 3));
    }
}
