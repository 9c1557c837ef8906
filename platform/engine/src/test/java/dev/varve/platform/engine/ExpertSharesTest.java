package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.ExpertCounts;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

@Timeout(60)
class ExpertSharesTest {
    private final AtomicReference<ExpertCounts> total =
            new AtomicReference<>(new ExpertCounts(100, 50, 1000));
    private final ExpertShares shares = new ExpertShares(total::get);

    @Test
    void batchOfOneRequestIsItsOwn() {
        total.set(new ExpertCounts(107, 53, 1700));

        assertEquals(List.of(new ExpertCounts(7, 3, 700)), shares.divide(4));
        assertEquals(List.of(), shares.divide(4));
    }

    @Test
    void sharedBatchIsDividedByTokensWithoutRest() {
        total.set(new ExpertCounts(110, 57, 1100));

        List<ExpertCounts> divided = shares.divide(1, 1, 8);

        assertEquals(
                List.of(
                        new ExpertCounts(1, 0, 10),
                        new ExpertCounts(1, 1, 10),
                        new ExpertCounts(8, 6, 80)),
                divided);
    }

    @Test
    void countersOfAnotherShardBeginAnew() {
        total.set(new ExpertCounts(1, 1, 10));
        assertEquals(List.of(), shares.divide(1));

        total.set(new ExpertCounts(2, 1, 10));
        assertEquals(List.of(new ExpertCounts(1, 0, 0)), shares.divide(1));
    }

    /** Each token needs one expert that is not in memory. */
    private static final class Reading extends PlainShard {
        private final AtomicLong misses = new AtomicLong();

        Reading(PlainModel model, EngineOptions options) {
            super(model, model.shape().allLayers(), PlainEngine.sizes(options));
        }

        @Override
        protected void beforeBatch(Batch batch) {
            misses.addAndGet(batch.tokens());
        }

        @Override
        public ExpertCounts experts() {
            return new ExpertCounts(0, misses.get(), 100 * misses.get());
        }
    }

    @Test
    void requestsThatRunTogetherCountTheirOwnTokens() throws Exception {
        PlainModel model = PlainEngine.model(false);
        EngineOptions options = PlainEngine.options(3, 12);
        Reading shard = new Reading(model, options);
        try (EngineCore engine = PlainEngine.start(model, options, List.of(shard))) {
            List<Collected> asked = new ArrayList<>();
            for (int length : List.of(5, 300, 90)) {
                asked.add(Collected.ask(engine, PlainEngine.text(length, length), 40));
            }
            long sum = 0;
            for (Collected each : asked) {
                GenerationEnd end = each.end();
                long computed =
                        end.tokens().prompt()
                                - end.tokens().cached()
                                + end.tokens().generated()
                                - 1;
                assertEquals(
                        new ExpertCounts(0, computed, 100 * computed), end.experts().orElseThrow());
                sum += computed;
            }
            assertEquals(shard.experts().misses(), sum);
        }
    }
}
