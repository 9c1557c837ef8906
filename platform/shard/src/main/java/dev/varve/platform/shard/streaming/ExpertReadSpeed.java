package dev.varve.platform.shard.streaming;

import dev.varve.api.gguf.GgufTensor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Measures how fast experts are read from the file, in the way that a step reads them. */
public final class ExpertReadSpeed {
    /** Bytes after which the measurement ends. */
    private static final long ENOUGH_BYTES = 128L << 20;

    /** Time after which it ends with fewer. */
    private static final long ENOUGH_NANOS = 1_000_000_000;

    private ExpertReadSpeed() {}

    /**
     * Reads some experts of each layer, chosen at random, without the page cache if the file system
     * permits that.
     *
     * @param matrices of experts, {@code [in, out, experts]}, at least one
     * @param used experts of a layer that are read together
     * @return bytes per second
     * @throws dev.varve.api.VarveException of kind CORRUPT_FILE or UNREADABLE_FILE if the file
     *     cannot be read
     */
    public static double bytesPerSecond(List<GgufTensor> matrices, int used) {
        try (ExpertCache cache = ExpertCache.open(matrices, Long.MAX_VALUE)) {
            List<ExpertGroup> layers = new ArrayList<>(cache.groups());
            Random random = new Random();
            Collections.shuffle(layers, random);
            long begin = System.nanoTime();
            long end = begin;
            for (ExpertGroup layer : layers) {
                List<Integer> experts =
                        new ArrayList<>(IntStream.range(0, layer.experts()).boxed().toList());
                Collections.shuffle(experts, random);
                int[] chosen = experts.stream().limit(used).mapToInt(Integer::intValue).toArray();
                cache.load(layer, chosen, () -> {});
                end = System.nanoTime();
                if (cache.counts().readBytes() > ENOUGH_BYTES || end - begin > ENOUGH_NANOS) {
                    break;
                }
            }
            return cache.counts().readBytes() * 1e9 / Math.max(1, end - begin);
        }
    }
}
