package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Tests into how many batches rows are divided, by the times of the stages. */
class MicroBatchOptimizerTest {
    private static final int ROUNDS = 20;

    /** Stages that have groups of their own. */
    private static MicroBatchOptimizer apart(int stages) {
        return new MicroBatchOptimizer(IntStream.range(0, stages).boxed().toList());
    }

    /** Records batches of a number of rows. */
    private static void run(
            MicroBatchOptimizer batches,
            int rows,
            int tokensPerRow,
            double fixed,
            double... shares) {
        int tokens = rows * tokensPerRow;
        for (int round = 0; round < ROUNDS; round++) {
            for (int stage = 0; stage < shares.length; stage++) {
                long nanos = (long) (1e6 * shares[stage] * (fixed + tokens));
                batches.record(stage, rows, tokens, nanos);
            }
        }
    }

    @Test
    void shardsThatShareProcessorsHaveOneBatch() {
        MicroBatchOptimizer batches = new MicroBatchOptimizer(List.of(0, 0, 0));

        assertEquals(1, batches.most());
        assertEquals(1, batches.choose(8));
    }

    @Test
    void aSingleRowIsNotDivided() {
        assertEquals(1, apart(2).choose(1));
    }

    @Test
    void anUnknownDivisionIsTriedFirst() {
        assertEquals(2, apart(2).choose(8));
        assertEquals(3, apart(4).choose(3));
    }

    /** The gain of two batches over one: from 8 rows at a time to 4, on equal or other devices. */
    @ParameterizedTest
    @CsvSource({
        "0, 0.5, 0.5, 2",
        "1, 0.5, 0.5, 2",
        "100, 0.5, 0.5, 1",
        "1, 0.8, 0.2, 2",
        "8, 0.8, 0.2, 1",
        "1, 0.1, 0.9, 1"
    })
    void rowsAreDividedWhereThatIsFaster(double fixed, double first, double second, int expected) {
        MicroBatchOptimizer batches = apart(2);

        run(batches, 4, 1, fixed, first, second);
        run(batches, 8, 1, fixed, first, second);

        assertEquals(expected, batches.choose(8));
    }

    @Test
    void draftTokensCountAsTokensOfTheirRows() {
        MicroBatchOptimizer batches = apart(2);

        // A third of 24 tokens would be 8 tokens, which were never computed in a batch.
        run(batches, 4, 3, 1, 0.5, 0.5);
        run(batches, 8, 3, 1, 0.5, 0.5);

        assertEquals(2, batches.choose(8));
    }

    /** The first and the third shard are on one device, which computes most. */
    @Test
    void theTimesOfStagesOfAGroupAddUp() {
        MicroBatchOptimizer batches = new MicroBatchOptimizer(List.of(0, 1, 0));

        run(batches, 4, 1, 8, 0.4, 0.2, 0.4);
        run(batches, 8, 1, 8, 0.4, 0.2, 0.4);

        assertEquals(2, batches.most());
        assertEquals(1, batches.choose(8));
    }

    @Test
    void aSmallGainChangesNothing() {
        MicroBatchOptimizer batches = apart(2);
        run(batches, 4, 1, 100, 0.5, 0.5);
        run(batches, 8, 1, 100, 0.5, 0.5);
        int[] chosen = new int[10];

        for (int i = 0; i < chosen.length; i++) {
            run(batches, 8, 1, i % 2 == 0 ? 100 : 103, 0.5, 0.5);
            chosen[i] = batches.choose(8);
        }

        assertEquals(1, Arrays.stream(chosen).distinct().count(), () -> Arrays.toString(chosen));
    }
}
