package dev.varve.platform.engine;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** A model of hash functions, see {@link HashingShard}, and the engines that run it. */
final class HashingModel {
    static final int LAYERS = 4;

    private HashingModel() {}

    /** Every layer keeps rows; one keeps a recurrent state as well, so that states are used. */
    static ModelShape shape(int contextTokens, boolean forgets) {
        List<LayerState> states =
                new ArrayList<>(Collections.nCopies(LAYERS, new LayerState.FullAttention(1, 1, 1)));
        if (forgets) {
            states.set(1, new LayerState.Recurrent(2, 1, 1, 1));
        }
        return new ModelShape(
                "hashing",
                new ModelShape.Sizes(1, HashingShard.VOCABULARY, contextTokens),
                states,
                0);
    }

    static EngineOptions sizes(int contextTokens, int parallel, int slots) {
        return new EngineOptions(EngineOptions.Capacity.of(contextTokens, parallel, slots), 64);
    }

    /** Starts an engine with one shard that computes at once. */
    static EngineCore serial(EngineOptions sizes, boolean forgets) {
        return engine(stages(1, sizes, forgets, new Random(0), 0), sizes, forgets);
    }

    static EngineCore engine(List<HashingShard> shards, EngineOptions sizes, boolean forgets) {
        return EngineCore.start(
                new ShardPipeline(shards), shape(sizes.capacity().contextTokens(), forgets), sizes);
    }

    /**
     * Returns shards that run in parallel, with random layer ranges.
     *
     * @param longestNanos longest time of a batch in a shard
     */
    static List<HashingShard> stages(
            int count, EngineOptions sizes, boolean forgets, Random random, long longestNanos) {
        List<Integer> cuts = new ArrayList<>();
        for (int layer = 1; layer < LAYERS; layer++) {
            cuts.add(layer);
        }
        Collections.shuffle(cuts, random);
        List<Integer> borders = new ArrayList<>(cuts.subList(0, count - 1));
        borders.add(0);
        borders.add(LAYERS);
        Collections.sort(borders);
        List<HashingShard> shards = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Random times = new Random(random.nextLong());
            shards.add(
                    new HashingShard(
                            new LayerRange(borders.get(i), borders.get(i + 1)),
                            LAYERS,
                            new Object(),
                            () -> compute(times, longestNanos),
                            sizes,
                            forgets));
        }
        return shards;
    }

    private static void compute(Random times, long longestNanos) {
        if (longestNanos > 0) {
            LockSupport.parkNanos(times.nextLong(longestNanos));
        }
    }
}
