package dev.varve.platform.plan;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.engine.EngineCore;
import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.engine.GenerationEvent;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.ShardPipeline;
import dev.varve.platform.shard.KvSlotSpan;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Measures the server's own time for a token, which the devices do not affect: an engine serves one
 * greedy request over shards that compute nothing, and another thread receives the tokens.
 */
final class EngineBenchmark {
    private static final int PROMPT = 32;

    /** So few that other processes leave some runs undisturbed. */
    private static final int TOKENS = 32;

    private static final int RUNS = 100;

    /** Runs after which most of the code is compiled: thousands of tokens. */
    private static final int WARM_UPS = 250;

    /** Limit of their time, for slow machines. */
    private static final long WARM_UP_NANOS = 2_000_000_000L;

    /**
     * A shard to imitate.
     *
     * @param pool shards with the same name take turns; others have threads of their own
     */
    record Stage(LayerRange range, String pool) {}

    private EngineBenchmark() {}

    /**
     * Returns the milliseconds of a token.
     *
     * @param stages all shards, in layer order
     * @throws VarveException of kind CANCELLED if the thread is interrupted
     */
    static double tokenMillis(ModelShape shape, List<Stage> stages) {
        int slots = KvSlotSpan.roundUp(PROMPT + TOKENS);
        EngineOptions options =
                new EngineOptions(
                        EngineOptions.Capacity.of(PROMPT + TOKENS, 1, slots), stages.size());
        try (EngineCore engine =
                EngineCore.start(new ShardPipeline(shards(shape, stages)), shape, options)) {
            long begin = System.nanoTime();
            for (int run = 0; run < WARM_UPS && System.nanoTime() - begin < WARM_UP_NANOS; run++) {
                double ignored = run(engine);
            }
            List<Double> times = new ArrayList<>();
            for (int run = 0; run < RUNS; run++) {
                times.add(run(engine));
            }
            return BlockBenchmark.lowQuantile(times);
        }
    }

    private static List<EmptyShard> shards(ModelShape shape, List<Stage> stages) {
        return stages.stream()
                .map(stage -> EmptyShard.of(shape, stage.range(), stage.pool()))
                .toList();
    }

    private static double run(EngineCore engine) {
        BlockingQueue<GenerationEvent<Integer>> events = new LinkedBlockingQueue<>();
        engine.submit(
                GenerationRequest.greedy(new int[PROMPT], TOKENS), GenerationEvent.into(events));
        while (true) {
            switch (next(events)) {
                case GenerationEvent.Prefill<Integer> _, GenerationEvent.Output<Integer> _ -> {}
                case GenerationEvent.End<Integer>(var end) -> {
                    return 1000 / end.decodeTokensPerSecond();
                }
                case GenerationEvent.Failure<Integer>(var error) -> throw error;
            }
        }
    }

    private static GenerationEvent<Integer> next(BlockingQueue<GenerationEvent<Integer>> events) {
        try {
            return events.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VarveException(
                    VarveException.Kind.CANCELLED, "a measurement was interrupted", e);
        }
    }
}
