package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.sampling.Sampler;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.Shard;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Runs steps without computation before the first request. Java compiles code after some hundred
 * runs; until then a step takes a millisecond longer. Synthetic requests run in a separate step
 * runner, whose sequences and counters are discarded, over shards that compute nothing.
 */
final class JitWarmup {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    /** System property with another number of steps, for servers that end after a few requests. */
    private static final String STEPS_PROPERTY = "dev.varve.engine.warmup.steps";

    /** Enough for both JIT compilers with the thresholds of {@code conf/java.options}. */
    private static final int STEPS = Integer.getInteger(STEPS_PROPERTY, 6000);

    private static final Duration LONGEST = Duration.ofSeconds(4);
    private static final int MAX_PROMPT_TOKENS = 24;
    private static final int MAX_OUTPUT_TOKENS = 72;

    private final ModelShape shape;
    private final StepRunner steps;
    private final int promptTokens;
    private final int outputTokens;
    private final AtomicLong arrivals = new AtomicLong();

    /** An empty queue; every synthetic request fits. */
    private static final QueueAccess EMPTY_QUEUE =
            new QueueAccess() {
                @Override
                public void requeue(Request request) {
                    // A synthetic request is dropped; the next one replaces it.
                }

                @Override
                public void wakeUp() {
                    // No other thread adds work.
                }

                @Override
                public RequestedOutput outputOfDuplicates(Request request) {
                    return RequestedOutput.NONE;
                }
            };

    /** A listener that ignores all events. */
    private static final GenerationListener IGNORE_EVENTS =
            new GenerationListener() {
                @Override
                public boolean onToken(GeneratedToken token) {
                    return true;
                }

                @Override
                public void onEnd(GenerationEnd end) {
                    // The next synthetic request starts.
                }

                @Override
                public void onError(VarveException error) {
                    // The warm-up ends after a failure.
                }
            };

    /** Forces tokens, since a warm-up step returns meaningless logits. */
    private static final class FixedTokenGuide implements TokenConstraint {
        @Override
        public OptionalInt forced() {
            return OptionalInt.of(0);
        }

        @Override
        public void accept(int token) {
            // The forced token is always the same.
        }
    }

    private JitWarmup(ShardPipeline pipeline, ModelShape shape, EngineOptions options) {
        this.shape = shape;
        int context = options.capacity().contextTokens();
        promptTokens = Math.max(1, Math.min(MAX_PROMPT_TOKENS, context / 2));
        outputTokens = Math.max(1, Math.min(MAX_OUTPUT_TOKENS, context - promptTokens));
        steps =
                new StepRunner(
                        pipeline.forWarmup(),
                        shape,
                        options.withoutHostCache(),
                        new DraftProposer(Optional.empty(), shape.vocabularySize()),
                        Optional.empty(),
                        EMPTY_QUEUE,
                        RequestFailover.NONE);
    }

    /**
     * Runs the warm-up on the engine's thread. Never throws: an operation that a shard lacks fails
     * when a request needs it.
     *
     * @param idle whether no request waits for the engine; checked before each step
     */
    static void run(
            ShardPipeline pipeline, ModelShape shape, EngineOptions options, BooleanSupplier idle) {
        if (!pipeline.shards().stream().allMatch(Shard::canWarmUp)) {
            return;
        }
        JitWarmup warmup = new JitWarmup(pipeline, shape, options);
        try {
            warmup.run(idle);
        } catch (RuntimeException | Error e) {
            // A defect of a plugin ends a request later, not the engine now.
            LOG.log(System.Logger.Level.DEBUG, "warm-up ended early: a step failed", e);
        } finally {
            warmup.steps.abandon();
        }
    }

    private void run(BooleanSupplier idle) {
        long end = System.nanoTime() + LONGEST.toNanos();
        int step = 0;
        while (step < STEPS
                && steps.failuresInARow() == 0
                && idle.getAsBoolean()
                && System.nanoTime() < end) {
            if (steps.isIdle()) {
                steps.admit(request());
            }
            steps.run();
            step++;
        }
        LOG.log(System.Logger.Level.DEBUG, "warm-up computed {0} steps", step);
    }

    /**
     * Returns a request with a token of its own, so that it finds no cached prefix of an earlier
     * one.
     */
    private Request request() {
        long number = arrivals.getAndIncrement();
        int[] tokens = new int[promptTokens];
        Arrays.fill(tokens, (int) (number % shape.vocabularySize()));
        GenerationRequest request =
                GenerationRequest.greedy(tokens, outputTokens)
                        .choosing(
                                new GenerationRequest.Choice(
                                        SamplingOptions.greedy(),
                                        OptionalInt.empty(),
                                        new FixedTokenGuide()));
        return new Request(
                new Engine.NewRequest(request, IGNORE_EVENTS),
                number,
                Integer.MAX_VALUE,
                new Sampler(SamplingOptions.greedy(), shape.vocabularySize(), new int[0]),
                false,
                new DraftAcceptanceTracker(1),
                false,
                () -> {});
    }
}
