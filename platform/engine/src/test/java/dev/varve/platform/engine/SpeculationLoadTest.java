package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sequence.KvCacheConfig;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.testkit.Await;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/**
 * Runs requests of all kinds in one engine with speculative decoding: greedy and sampled, with
 * draft tokens and without, some cancelled or stopped, with common prefixes, and with so few slots
 * that some are preempted. Each gets the tokens of an engine without speculative decoding.
 */
@Timeout(600)
class SpeculationLoadTest {
    private static final int REQUESTS = Effort.of(60, 1000);
    private static final int PARALLEL = 8;
    private static final int MOST = 7;
    private static final int CONTEXT = 2 * KvSlotSpan.BLOCK;

    /** Configurations of the engine. */
    private enum Bed {
        /** The state can be rolled back. */
        ATTENTION(PlainModel.attentionOnly(2, CONTEXT), 1, OptionalInt.of(MOST), false),
        /** The state cannot be rolled back; two stages. */
        MIXED(PlainModel.mixed(CONTEXT), 2, OptionalInt.of(3), false),
        /** The draft length is measured; prefixes are restored from host memory. */
        HOST_MEMORY(PlainModel.mixed(CONTEXT), 1, OptionalInt.empty(), true);

        final PlainModel model;
        final int stages;
        final OptionalInt width;
        final boolean hasHost;

        Bed(PlainModel model, int stages, OptionalInt width, boolean hasHost) {
            this.model = model;
            this.stages = stages;
            this.width = width;
            this.hasHost = hasHost;
        }

        EngineOptions options() {
            // One block per sequence, and one for all that outgrow theirs.
            int blocks = PARALLEL + 1;
            EngineOptions options =
                    new EngineOptions(
                            new EngineOptions.Capacity(
                                    CONTEXT,
                                    PARALLEL,
                                    new KvCacheConfig(
                                            blocks * KvSlotSpan.BLOCK,
                                            EngineOptions.Capacity.rowsFor(PARALLEL),
                                            new RollbackBufferSizes(PARALLEL, 1 + MOST))),
                            4096);
            return hasHost ? PlainEngine.withHost(options, model, 16 << 20) : options;
        }

        List<Integer> captures() {
            return List.of(0, model.shape().layerCount());
        }
    }

    /** How a request ends. */
    private enum Fate {
        ENDS,
        IS_CANCELLED,
        IS_STOPPED
    }

    /**
     * A request.
     *
     * @param after tokens that are received before it is cancelled or stopped
     */
    private record Ask(GenerationRequest request, Fate fate, int after) {}

    /** Receives the events of a request, and cancels or stops it as planned. */
    private static final class Heard implements GenerationListener {
        private final Ask ask;
        private final List<Integer> tokens = new ArrayList<>();
        private final CompletableFuture<Optional<VarveException>> over = new CompletableFuture<>();
        private final CountDownLatch crowd;
        private volatile Optional<GenerationHandle> generation = Optional.empty();

        Heard(Ask ask, CountDownLatch crowd) {
            this.ask = ask;
            this.crowd = crowd;
        }

        /**
         * Submits a request; its first token blocks the engine until enough requests are queued.
         */
        static Heard of(EngineCore engine, Ask ask, CountDownLatch crowd) {
            Heard heard = new Heard(ask, crowd);
            heard.generation = Optional.of(engine.submit(ask.request(), heard));
            crowd.countDown();
            return heard;
        }

        @Override
        public boolean onToken(GeneratedToken token) {
            Await.latch(crowd);
            tokens.add(token.id());
            if (tokens.size() < ask.after()) {
                return true;
            }
            if (ask.fate() == Fate.IS_CANCELLED) {
                generation.ifPresent(GenerationHandle::cancel);
            }
            return ask.fate() != Fate.IS_STOPPED;
        }

        @Override
        public void onEnd(GenerationEnd end) {
            over.complete(Optional.empty());
        }

        @Override
        public void onError(VarveException error) {
            over.complete(Optional.of(error));
        }

        /** Returns whether it was cancelled; fails after any other error. */
        boolean wasCancelled() {
            Optional<VarveException> error = Await.result(over);
            error.ifPresent(
                    each ->
                            assertEquals(
                                    VarveException.Kind.CANCELLED, each.kind(), each.toString()));
            return error.isPresent();
        }
    }

    /** Returns common prefixes of several prompts, which end near the end of a block of slots. */
    private static List<int[]> heads() {
        return IntStream.range(0, 4)
                .mapToObj(i -> PlainEngine.text(100 + i, i == 0 ? 20 : 200 + 12 * i))
                .toList();
    }

    /**
     * Returns the first requests, as many as run at once. Each outgrows its block, and there is
     * only one more block for all.
     */
    private static List<Ask> crowding(List<int[]> heads) {
        int[] head = heads.getLast();
        return IntStream.range(0, PARALLEL)
                .mapToObj(
                        i ->
                                new Ask(
                                        new GenerationRequest(
                                                GenerationRequest.Prompt.of(
                                                        PlainEngine.join(
                                                                head,
                                                                PlainEngine.text(2000 + i, 9)),
                                                        new int[] {head.length}),
                                                new GenerationRequest.Ending(80, Set.of()),
                                                GenerationRequest.Choice.of(
                                                        SamplingOptions.greedy())),
                                        Fate.ENDS,
                                        0))
                .toList();
    }

    private static List<Ask> asks(PlainModel model) {
        Random random = new Random(42);
        List<int[]> heads = heads();
        List<Ask> asks = new ArrayList<>(crowding(heads));
        for (int i = asks.size(); i < REQUESTS; i++) {
            int[] head = heads.get(random.nextInt(heads.size()));
            int[] tail = PlainEngine.text(1000 + i % 60, 1 + i % 60 % 9);
            int end = random.nextInt(model.shape().vocabularySize());
            GenerationRequest request =
                    new GenerationRequest(
                            GenerationRequest.Prompt.of(
                                    PlainEngine.join(head, tail), new int[] {head.length}),
                            new GenerationRequest.Ending(
                                    1 + random.nextInt(80),
                                    random.nextInt(4) == 0 ? Set.of(end) : Set.of()),
                            GenerationRequest.Choice.of(sampling(random)));
            Fate fate =
                    switch (random.nextInt(6)) {
                        case 0 -> Fate.IS_CANCELLED;
                        case 1 -> Fate.IS_STOPPED;
                        default -> Fate.ENDS;
                    };
            asks.add(new Ask(drafting(request, random), fate, 1 + random.nextInt(20)));
        }
        return asks;
    }

    private static SamplingOptions sampling(Random random) {
        SamplingOptions greedy = SamplingOptions.greedy();
        return switch (random.nextInt(5)) {
            case 0, 1 -> greedy;
            case 2 -> greedy.biased(Map.of(7, 1f));
            default -> greedy.atTemperature(0.5f + random.nextFloat()).seededWith(random.nextInt());
        };
    }

    private static GenerationRequest drafting(GenerationRequest request, Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> request.drafting(0);
            case 1 -> request.drafting(1 + random.nextInt(3));
            default -> request;
        };
    }

    /** Returns the complete response of each request. */
    private static List<List<Integer>> plainAnswers(Bed bed, List<Ask> asks) {
        int blocks = 2 * PARALLEL;
        try (EngineCore engine =
                PlainEngine.start(bed.model, PlainEngine.options(PARALLEL, blocks), 1)) {
            List<Heard> heard =
                    asks.stream()
                            .map(
                                    ask ->
                                            Heard.of(
                                                    engine,
                                                    new Ask(ask.request(), Fate.ENDS, 0),
                                                    new CountDownLatch(0)))
                            .toList();
            return heard.stream()
                    .map(
                            each -> {
                                assertFalse(each.wasCancelled());
                                return each.tokens;
                            })
                    .toList();
        }
    }

    private static EngineCore guessing(Bed bed, ScriptedSpeculator speculator) {
        EngineOptions options = bed.options();
        PlainShard.Sizes sizes = PlainEngine.sizes(options);
        List<PlainShard> shards =
                PlainEngine.ranges(bed.model, bed.stages).stream()
                        .map(
                                range ->
                                        new PlainShard(
                                                bed.model,
                                                range,
                                                new PlainShard.Sizes(
                                                        sizes.slots(),
                                                        sizes.stateRows(),
                                                        bed.captures(),
                                                        sizes.rollbackBuffers())))
                        .toList();
        return EngineCore.start(
                new ShardPipeline(shards),
                bed.model.shape(),
                options,
                Optional.of(new SpeculationOptions(speculator, MOST, bed.width)));
    }

    /** Returns a speculator that knows all responses, and is sometimes wrong. */
    private static ScriptedSpeculator speculator(
            Bed bed, List<Ask> asks, List<List<Integer>> answers) {
        List<int[]> texts =
                IntStream.range(0, asks.size())
                        .mapToObj(
                                i ->
                                        PlainEngine.join(
                                                asks.get(i).request().prompt().tokens(),
                                                answers.get(i).stream()
                                                        .mapToInt(Integer::intValue)
                                                        .toArray()))
                        .toList();
        Random random = new Random(6);
        return new ScriptedSpeculator(
                texts,
                MOST,
                depth -> random.nextInt(5) == 0 ? 1 : 0,
                bed.model.shape().vocabularySize(),
                bed.captures());
    }

    @ParameterizedTest
    @EnumSource
    @ByDay(2)
    void everyRequestEqualsItsOutputWithoutDrafts(Bed bed) throws Exception {
        List<Ask> asks = asks(bed.model);
        List<List<Integer>> plain = plainAnswers(bed, asks);
        ScriptedSpeculator speculator = speculator(bed, asks, plain);
        int cancelled = 0;
        EngineStatus status;

        try (EngineCore engine = guessing(bed, speculator)) {
            CountDownLatch crowd = new CountDownLatch(REQUESTS / 2);
            List<Heard> heard = asks.stream().map(ask -> Heard.of(engine, ask, crowd)).toList();
            for (int i = 0; i < asks.size(); i++) {
                boolean wasCancelled = heard.get(i).wasCancelled();
                cancelled += wasCancelled ? 1 : 0;
                Ask ask = asks.get(i);
                List<Integer> expected =
                        plain.get(i).stream()
                                .limit(
                                        wasCancelled
                                                ? heard.get(i).tokens.size()
                                                : ask.fate() == Fate.IS_STOPPED
                                                        ? ask.after()
                                                        : Integer.MAX_VALUE)
                                .toList();
                assertEquals(expected, heard.get(i).tokens, "request " + i + ": " + ask);
            }
            assertFalse(speculator.isClosed(), "the speculator was given up");
            status = PlainEngine.status(engine);
        }

        assertTrue(
                bed.width.isEmpty() || status.speculation().accepted() > REQUESTS,
                "guesses were not tried: " + status.speculation());
        assertTrue(cancelled > 0, "none was cancelled");
        assertTrue(status.counts().preemptions() > 0, "none gave way: " + status.counts());
        // With so few slots, rows that can be rolled back are evicted before a request uses them.
        assertTrue(
                !bed.model.shape().forgets() || status.counts().tokens().cachedPrompt() > 0,
                "nothing was kept: " + status.counts());
    }
}
