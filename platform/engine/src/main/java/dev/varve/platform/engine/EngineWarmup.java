package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.sampling.Sampler;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.Shard;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Steps without computing, before the first request comes: Java compiles what ran some hundred
 * times, and until then a step takes a millisecond more than it will. Made-up requests go through
 * an engine of their own, whose sequences and counts are forgotten, over shards that rehearse.
 */
final class EngineWarmup {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    /** Enough for both compilers; the second one waits for what runs often in a step. */
    private static final int STEPS = 2000;

    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final int PROMPT = 24;
    private static final int ANSWER = 72;

    private final ModelShape shape;
    private final StepRunner steps;
    private final int prompt;
    private final int answer;
    private final AtomicLong arrivals = new AtomicLong();

    /** Nobody waits, and nothing is asked for that would not fit. */
    private static final WaitingRequests NOBODY =
            new WaitingRequests() {
                @Override
                public void requeue(Request request) {
                    // It is made up, and others follow.
                }

                @Override
                public void wakeUp() {
                    // Nothing comes from other threads.
                }

                @Override
                public OutputRows wantedByTwins(Request request) {
                    return OutputRows.NONE;
                }
            };

    /** Nobody listens. */
    private static final GenerationListener SILENCE =
            new GenerationListener() {
                @Override
                public boolean onToken(GeneratedToken token) {
                    return true;
                }

                @Override
                public void onEnd(GenerationEnd end) {
                    // The next one begins.
                }

                @Override
                public void onError(VarveException error) {
                    // It was the last one.
                }
            };

    /** What a rehearsed step gives has no meaning, so that tokens are given. */
    private static final class Given implements TokenGuide {
        @Override
        public OptionalInt forced() {
            return OptionalInt.of(0);
        }

        @Override
        public void accept(int token) {
            // Always the same.
        }
    }

    private EngineWarmup(ShardPipeline pipeline, ModelShape shape, EngineOptions options) {
        this.shape = shape;
        int context = options.capacity().contextTokens();
        prompt = Math.max(1, Math.min(PROMPT, context / 2));
        answer = Math.max(1, Math.min(ANSWER, context - prompt));
        steps =
                new StepRunner(
                        pipeline.rehearsing(),
                        shape,
                        options.withoutHostCache(),
                        new SpeculativeDecoding(Optional.empty(), shape.vocabularySize()),
                        Optional.empty(),
                        NOBODY,
                        RequestFailover.NONE);
    }

    /**
     * Rehearses, on the engine's thread. Fails never: what a shard cannot do here shows when a
     * request needs it.
     *
     * @param idle whether nobody waits for the engine; a step may go by before it is asked again
     */
    static void run(
            ShardPipeline pipeline, ModelShape shape, EngineOptions options, BooleanSupplier idle) {
        if (!pipeline.shards().stream().allMatch(Shard::canRehearse)) {
            return;
        }
        EngineWarmup rehearsal = new EngineWarmup(pipeline, shape, options);
        try {
            rehearsal.run(idle);
        } catch (RuntimeException | Error e) {
            // What a plugin lacks ends a request later on, and not the engine now.
            LOG.log(System.Logger.Level.DEBUG, "no more steps are rehearsed", e);
        } finally {
            rehearsal.steps.abandon();
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
        LOG.log(System.Logger.Level.DEBUG, "{0} steps were rehearsed", step);
    }

    /** Each with another token, or the answer of the first would be kept for all. */
    private Request request() {
        long number = arrivals.getAndIncrement();
        int[] tokens = new int[prompt];
        Arrays.fill(tokens, (int) (number % shape.vocabularySize()));
        GenerationRequest request =
                GenerationRequest.greedy(tokens, answer)
                        .choosing(
                                new GenerationRequest.Choice(
                                        SamplingOptions.greedy(),
                                        OptionalInt.empty(),
                                        new Given()));
        return new Request(
                new Engine.Submission(request, SILENCE),
                number,
                Integer.MAX_VALUE,
                new Sampler(SamplingOptions.greedy(), shape.vocabularySize(), new int[0]),
                false,
                new DraftAcceptanceTracker(1),
                () -> {});
    }
}
