package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardResult;
import dev.varve.testkit.simulation.Simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/**
 * Measures an engine over shards that take a computed time for each batch, in simulated time: two
 * runs give the same times.
 *
 * @param costs of the whole model
 * @param shares per shard, its part of these times
 * @param overlapping whether the shards are on devices of their own
 * @param pace how prefill is scheduled beside decode
 */
record PipelineLoad(
        Costs costs,
        List<Double> shares,
        boolean overlapping,
        EngineOptions.PrefillScheduling pace) {
    /** Time of the engine's thread for a token of a stream, in ns. */
    private static final long HOST_NANOS = 20_000;

    private static final int PARALLEL = 64;
    private static final int CONTEXT = 80 * KvSlotSpan.BLOCK;
    private static final int SLOTS = 200 * KvSlotSpan.BLOCK;

    /** Tokens of each stream before the measurement begins. */
    private static final int RUN_IN = 30;

    /**
     * Times of a batch in ns.
     *
     * @param batch of every batch, however small
     * @param row of each token of decode
     * @param token of each token of a prompt
     */
    record Costs(long batch, long row, long token) {
        long of(Batch given) {
            long nanos = batch;
            for (SequenceChunk chunk : given.chunks()) {
                boolean rows = chunk.kind() == ChunkComputeMode.ROWS;
                nanos += (rows ? row : token) * chunk.tokens().length;
            }
            return nanos;
        }
    }

    /** A shard that takes its share of the costs. */
    private static final class CostedShard extends HashingShard {
        private final Simulation simulation = Simulation.current();
        private final Costs costs;
        private final double share;

        CostedShard(LayerRange range, Object turn, EngineOptions sizes, Costs costs, double share) {
            super(range, HashingModel.LAYERS, turn, () -> {}, sizes, false);
            this.costs = costs;
            this.share = share;
        }

        @Override
        public CompletableFuture<ShardResult> forward(
                Batch batch, Optional<LayerActivations> boundary) {
            simulation.sleep((long) (share * costs.of(batch)));
            return super.forward(batch, boundary);
        }
    }

    /** A client with one request, which records when its tokens arrive. */
    static final class Stream implements GenerationListener {
        private final Simulation simulation = Simulation.current();
        private final List<Integer> tokens = new ArrayList<>();
        private final List<Long> times = new ArrayList<>();
        private final CountDownLatch runIn = new CountDownLatch(RUN_IN);
        private final CountDownLatch over = new CountDownLatch(1);
        private Optional<VarveException> error = Optional.empty();

        @Override
        public boolean onToken(GeneratedToken token) {
            simulation.sleep(HOST_NANOS);
            tokens.add(token.id());
            times.add(simulation.nanoTime());
            runIn.countDown();
            return true;
        }

        @Override
        public void onEnd(GenerationEnd how) {
            over.countDown();
        }

        @Override
        public void onError(VarveException reason) {
            error = Optional.of(reason);
            over.countDown();
        }

        List<Integer> await() throws InterruptedException {
            over.await();
            if (error.isPresent()) {
                throw new AssertionError("a request failed", error.get());
            }
            return List.copyOf(tokens);
        }

        private long between(long begin, long end) {
            return times.stream().filter(time -> time > begin && time <= end).count();
        }

        private long longestGap(long begin, long end) {
            long longest = 0;
            for (int i = 1; i < times.size(); i++) {
                if (times.get(i) > begin && times.get(i - 1) < end) {
                    longest = Math.max(longest, times.get(i) - times.get(i - 1));
                }
            }
            return longest;
        }
    }

    /**
     * Result of a measurement.
     *
     * @param prefill prompt tokens per second
     * @param decode tokens per second of all streams
     * @param gapMillis longest time between two tokens of a stream
     * @param answers tokens of all requests
     */
    record Rates(double prefill, double decode, double gapMillis, List<List<Integer>> answers) {
        /** Returns the rates without the answers. */
        String text() {
            return String.format(
                    Locale.ROOT,
                    "prefill %.1f tokens/s, decode %.1f tokens/s, longest gap %.1f ms",
                    prefill,
                    decode,
                    gapMillis);
        }
    }

    /** Creates a load on devices of their own. */
    static PipelineLoad of(Costs costs, Double... shares) {
        return new PipelineLoad(
                costs, List.of(shares), true, EngineOptions.PrefillScheduling.DEFAULT);
    }

    private EngineCore start() {
        EngineOptions sizes = HashingModel.sizes(CONTEXT, PARALLEL, SLOTS).withPace(pace);
        List<CostedShard> shards = new ArrayList<>();
        Object shared = new Object();
        int layers = HashingModel.LAYERS / shares.size();
        for (int i = 0; i < shares.size(); i++) {
            shards.add(
                    new CostedShard(
                            new LayerRange(i * layers, (i + 1) * layers),
                            overlapping ? new Object() : shared,
                            sizes,
                            costs,
                            shares.get(i)));
        }
        return EngineCore.start(
                new ShardPipeline(shards), HashingModel.shape(CONTEXT, false), sizes);
    }

    private static int[] prompt(int length, int number) {
        int[] prompt = new int[length];
        for (int i = 0; i < length; i++) {
            prompt[i] = (i * 7 + number * 31) % HashingShard.VOCABULARY;
        }
        return prompt;
    }

    private static Stream ask(EngineCore engine, int length, int number, int count) {
        Stream stream = new Stream();
        engine.submit(Collected.request(prompt(length, number), 0, count), stream);
        return stream;
    }

    private static List<List<Integer>> answers(List<Stream> streams) throws InterruptedException {
        List<List<Integer>> answers = new ArrayList<>();
        for (Stream stream : streams) {
            answers.add(stream.await());
        }
        return answers;
    }

    /** Measures streams without prompts. */
    Rates decode(int streams) throws InterruptedException {
        try (EngineCore engine = start()) {
            List<Stream> all = new ArrayList<>();
            for (int i = 0; i < streams; i++) {
                all.add(ask(engine, 8, i, 4 * RUN_IN));
            }
            for (Stream stream : all) {
                stream.runIn.await();
            }
            long begin = System.nanoTime();
            List<List<Integer>> answers = answers(all);
            long end = all.stream().mapToLong(stream -> stream.times.getLast()).min().orElseThrow();
            return rates(all, begin, end, 0, answers);
        }
    }

    /** Measures prompts without streams. */
    Rates prefill(int prompts, int length) throws InterruptedException {
        try (EngineCore engine = start()) {
            long begin = System.nanoTime();
            List<Stream> all = new ArrayList<>();
            for (int i = 0; i < prompts; i++) {
                all.add(ask(engine, length, i, 1));
            }
            List<List<Integer>> answers = answers(all);
            return rates(List.of(), begin, System.nanoTime(), prompts * length, answers);
        }
    }

    /** Measures prompts beside streams, until the prompts are computed. */
    Rates mixed(int streams, int prompts, int length) throws InterruptedException {
        try (EngineCore engine = start()) {
            List<Stream> beside = new ArrayList<>();
            for (int i = 0; i < streams; i++) {
                beside.add(ask(engine, 8, i, 20 * RUN_IN));
            }
            for (Stream stream : beside) {
                stream.runIn.await();
            }
            long begin = System.nanoTime();
            List<Stream> all = new ArrayList<>();
            for (int i = 0; i < prompts; i++) {
                all.add(ask(engine, length, streams + i, 1));
            }
            List<List<Integer>> answers = answers(all);
            long end = System.nanoTime();
            answers.addAll(answers(beside));
            return rates(beside, begin, end, prompts * length, answers);
        }
    }

    /** Returns for each request the times of its first token and of its end, after the start. */
    List<long[]> replay(List<EngineLoad.Timed> requests) throws InterruptedException {
        Simulation simulation = Simulation.current();
        try (EngineCore engine = start()) {
            long begin = simulation.nanoTime();
            List<Stream> all = new ArrayList<>();
            for (EngineLoad.Timed request : requests) {
                simulation.sleep(Math.max(1, begin + request.arrival() - simulation.nanoTime()));
                all.add(ask(engine, request.prompt(), all.size(), request.output()));
            }
            answers(all);
            return all.stream()
                    .map(
                            each ->
                                    new long[] {
                                        each.times.getFirst() - begin, each.times.getLast() - begin
                                    })
                    .toList();
        }
    }

    private static Rates rates(
            List<Stream> streams,
            long begin,
            long end,
            int promptTokens,
            List<List<Integer>> answers) {
        double seconds = (end - begin) / 1e9;
        long tokens = streams.stream().mapToLong(stream -> stream.between(begin, end)).sum();
        long gap =
                streams.stream().mapToLong(stream -> stream.longestGap(begin, end)).max().orElse(0);
        return new Rates(promptTokens / seconds, tokens / seconds, gap / 1e6, answers);
    }
}
