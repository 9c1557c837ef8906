package dev.varve.platform.shard.streaming;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufTensor;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decode of a model with streamed experts in simulated time. The cache of experts and its decision
 * to read ahead are the real ones; computation and the disk only take simulated time. The model has
 * 8 layers with 64 experts of three matrices of 1 MiB each, of which a token uses 4.
 */
final class TimedDecode implements AutoCloseable {
    static final int LAYERS = 8;
    static final int EXPERTS = 64;
    static final int USED = 4;
    private static final long MATRIX = 1 << 20;

    /** Most bytes of an expert in the cache. */
    static final long EXPERT = 3 * (MATRIX + StreamedFile.PAGE);

    /** Times of a layer: attention, the guess, the experts up to the last matrix, that matrix. */
    private static final long BEFORE = 200_000;

    private static final long GUESS = 10_000;
    private static final long INNER = 250_000;
    private static final long DOWN = 120_000;

    private final VirtualClock clock = new VirtualClock();
    private final ExpertCache cache;
    private final List<ExpertGroup> groups = new ArrayList<>();
    private long longestPrefetch;

    /**
     * @param folder for a file without content
     * @param limit bytes of the cache of experts
     * @param bytesPerSecond of the disk
     */
    TimedDecode(Path folder, long limit, double bytesPerSecond) {
        Path path = folder.resolve("m.gguf");
        setLength(path);
        List<GgufTensor> matrices = new ArrayList<>();
        for (int layer = 0; layer < LAYERS; layer++) {
            for (String name : List.of("up", "gate", "down")) {
                matrices.add(
                        new GgufTensor(
                                "blk." + layer + ".ffn_" + name + "_exps.weight",
                                GgmlType.F32,
                                List.of(MATRIX / 4, 1L, (long) EXPERTS),
                                new GgufTensor.Place(
                                        path,
                                        matrices.size() * EXPERTS * MATRIX,
                                        EXPERTS * MATRIX)));
            }
        }
        cache =
                ExpertCache.open(
                        matrices,
                        limit,
                        Optional.empty(),
                        () -> new TimedDisk(clock, bytesPerSecond, 80_000));
        for (int layer = 0; layer < LAYERS; layer++) {
            groups.add(cache.group("blk." + layer + ".ffn").orElseThrow());
        }
    }

    private static void setLength(Path path) {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(3 * LAYERS * EXPERTS * MATRIX);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether a layer reads experts ahead. */
    enum ReadAhead {
        NEVER,
        ALWAYS,
        IF_IT_PAYS
    }

    /**
     * Returns the simulated nanoseconds of some tokens.
     *
     * @param accuracy probability that a guessed expert is right
     */
    long run(int tokens, RandomRouter router, double accuracy, ReadAhead readAhead) {
        long begin = clock.now();
        for (int token = 0; token < tokens; token++) {
            int[] chosen = router.choose(0);
            for (int layer = 0; layer < LAYERS; layer++) {
                Optional<int[]> next =
                        layer + 1 < LAYERS
                                ? Optional.of(router.choose(layer + 1))
                                : Optional.empty();
                Optional<int[]> guess = next.map(right -> router.guess(right, EXPERTS, accuracy));
                layer(layer, chosen, guess, readAhead);
                chosen = next.orElse(chosen);
            }
        }
        return clock.now() - begin;
    }

    /** Computes in the order of {@code StreamedGraph}. */
    private void layer(int layer, int[] chosen, Optional<int[]> guess, ReadAhead readAhead) {
        long begin = clock.now();
        clock.advance(BEFORE);
        boolean reads =
                guess.isPresent()
                        && switch (readAhead) {
                            case NEVER -> false;
                            case ALWAYS -> true;
                            case IF_IT_PAYS -> cache.gain().isWorthIt();
                        };
        if (reads) {
            clock.advance(GUESS);
        }
        cache.load(
                groups.get(layer),
                chosen,
                () -> {
                    if (reads) {
                        prefetch(layer + 1, guess.get());
                    }
                    clock.advance(INNER);
                });
        clock.advance(DOWN);
        if (guess.isPresent()) {
            cache.gain().record(clock.now() - begin);
        }
    }

    /** Returns the simulated time until some experts of a layer are in memory. */
    long load(int layer, int[] experts) {
        long begin = clock.now();
        cache.load(groups.get(layer), experts, () -> {});
        return clock.now() - begin;
    }

    void prefetch(int layer, int[] experts) {
        long begin = clock.now();
        cache.prefetch(groups.get(layer), experts);
        longestPrefetch = Math.max(longestPrefetch, clock.now() - begin);
    }

    /** Returns the longest simulated time in which a step waited for the begin of reads ahead. */
    long longestPrefetch() {
        return longestPrefetch;
    }

    @Override
    public void close() {
        cache.close();
    }
}
