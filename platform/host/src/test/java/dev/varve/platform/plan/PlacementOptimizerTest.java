package dev.varve.platform.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.plan.PlacementStage.Block;
import dev.varve.platform.plan.PlacementStage.Variant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Cards with memories 0, 1 and so on, and the processor with the last memory. A block has 10 bytes,
 * and 100 bytes of experts.
 */
class PlacementOptimizerTest {
    private static final long PLENTY = 1L << 40;

    /** Returns a stage of equal blocks; a buffer has 5 bytes with experts on it, else 1. */
    private static PlacementStage stage(
            int memory, int blocks, double millis, double moved, boolean isOptional) {
        Block block =
                new Block(
                        isOptional ? 110 : 10,
                        isOptional ? 0 : 100,
                        new Variant(millis, 5, 0),
                        new Variant(moved, 1, 3));
        return new PlacementStage(
                memory, 0.5, Collections.nCopies(blocks, block), 0, 0, isOptional);
    }

    /** Returns the blocks of each stage, and the number of those whose experts are elsewhere. */
    private static String choose(List<PlacementStage> stages, Long... free) {
        return new PlacementOptimizer(stages, List.of(free), free.length - 1)
                .choose()
                .map(
                        choice ->
                                choice.counts()
                                        + " moves "
                                        + Collections.frequency(choice.moved(), true))
                .orElse("nothing fits");
    }

    private static List<PlacementStage> cardAndProcessor(double moved) {
        return List.of(stage(0, 3, 1, moved, false), stage(1, 3, 4, 4, true));
    }

    @Test
    void expertsMoveIfThatIsFasterThanWholeBlocks() {
        assertEquals("[3, 0] moves 1", choose(cardAndProcessor(2), 235L, PLENTY));
    }

    @Test
    void wholeBlocksMoveIfThatIsFasterThanExperts() {
        assertEquals("[2, 1] moves 0", choose(cardAndProcessor(9), 235L, PLENTY));
    }

    @Test
    void buffersCountByTheLargestBlock() {
        // Without experts the buffer has 1 byte: 31 bytes suffice, with experts of one 135.
        assertEquals("[3, 0] moves 3", choose(cardAndProcessor(2), 31L, PLENTY));
        assertEquals("[2, 1] moves 2", choose(cardAndProcessor(2), 30L, PLENTY));
        assertEquals("[3, 0] moves 3", choose(cardAndProcessor(2), 134L, PLENTY));
        assertEquals("[3, 0] moves 2", choose(cardAndProcessor(2), 135L, PLENTY));
    }

    @Test
    void memoryOfTheProcessorIsALimit() {
        // The experts of three blocks, and a buffer of 3 bytes.
        assertEquals("[3, 0] moves 3", choose(cardAndProcessor(2), 31L, 303L));
        assertEquals("nothing fits", choose(cardAndProcessor(2), 31L, 302L));
    }

    @Test
    void everyCardGetsABlock() {
        List<PlacementStage> stages =
                List.of(
                        stage(0, 3, 9, 10, false),
                        stage(1, 3, 1, 2, false),
                        stage(2, 3, 4, 4, true));

        assertEquals("[1, 2, 0] moves 0", choose(stages, PLENTY, PLENTY, PLENTY));
    }

    /** 60 blocks of several sizes on cards and a processor that hold little more than them. */
    private static List<PlacementStage> largeModel(SplittableRandom random) {
        int[] sizes = random.ints(60, 0, 3).map(size -> 80 + 20 * size).toArray();
        List<PlacementStage> stages = new ArrayList<>();
        for (int card = 0; card < 3; card++) {
            double speed = random.nextDouble(2, 16);
            double copies = random.nextDouble(0, 10);
            stages.add(stage(card, sizes, speed, copies));
        }
        stages.add(processor(sizes));
        return stages;
    }

    private static PlacementStage stage(int memory, int[] sizes, double speed, double copies) {
        List<Block> blocks =
                IntStream.of(sizes)
                        .mapToObj(
                                size ->
                                        new Block(
                                                10,
                                                size,
                                                new Variant((10 + size) / speed, 5, 0),
                                                new Variant(10 / speed + size + copies, 1, 3)))
                        .toList();
        return new PlacementStage(memory, 20, blocks, 0, 0, false);
    }

    private static PlacementStage processor(int[] sizes) {
        List<Block> blocks =
                IntStream.of(sizes)
                        .mapToObj(size -> new Variant(10 + size, 5, 0))
                        .map(each -> new Block((long) each.millis(), 0, each, each))
                        .toList();
        return new PlacementStage(3, 20, blocks, 0, 0, true);
    }

    /** Lists of 1000 are the limit here: those of the default lose little. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void thinnedListsLoseLittle(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<PlacementStage> stages = largeModel(random);
        List<Long> free =
                List.of(
                        random.nextLong(1000, 2000),
                        random.nextLong(1000, 2000),
                        random.nextLong(1000, 2000),
                        4000L);

        Optional<PlacementOptimizer.Choice> usual =
                new PlacementOptimizer(stages, free, 3).choose();
        Optional<PlacementOptimizer.Choice> exact =
                new PlacementOptimizer(stages, free, 3, 1000).choose();

        assertTrue(
                usual.orElseThrow().millis() <= 1.05 * exact.orElseThrow().millis(),
                usual + " " + exact);
    }
}
