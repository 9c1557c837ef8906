package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.KvCacheConfig;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.ShardResult;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Runs four requests in pools with host memory while one call fails: a copy, a cache change or a
 * forward pass. All requests get the tokens that they get alone, unless one of them is the cause:
 * then only that one fails.
 */
@Timeout(300)
class OptionalWorkFaultTest {
    private static final int CONTEXT = 4 * KvSlotSpan.BLOCK;
    private static final int POOL = 2 * KvSlotSpan.BLOCK;
    private static final int PARALLEL = 4;
    private static final int[] FAULTS =
            Effort.isFull() ? new int[] {0, 1, 2, 5, 11, 23} : new int[] {0};

    /** Calls of a shard; some throw and some fail later. */
    private enum Call {
        EXPORT,
        EXPORT_FUTURE,
        ADOPT,
        ADOPT_FUTURE,
        CHANGE,
        CHANGE_FUTURE,
        FORWARD,
        FORWARD_FUTURE
    }

    /** A shard of which one call fails once, or each batch that a test selects. */
    private static final class FaultyPlainShard extends PlainShard {
        private Optional<Call> faulty = Optional.empty();
        private int left;
        private Predicate<Batch> poison = batch -> false;

        FaultyPlainShard(PlainModel model, LayerRange range, Sizes sizes) {
            super(model, range, sizes);
        }

        synchronized void failOnce(Call call, int after) {
            faulty = Optional.of(call);
            left = after;
        }

        synchronized void poison(Predicate<Batch> batches) {
            poison = batches;
        }

        /** Returns whether the call has failed. */
        synchronized boolean hasFailed() {
            return faulty.isEmpty();
        }

        private synchronized boolean isDue(Call call) {
            boolean due = faulty.filter(call::equals).isPresent() && left-- == 0;
            faulty = due ? Optional.empty() : faulty;
            return due;
        }

        private <T> CompletableFuture<T> unlessDue(
                Call thrown, Call failed, Supplier<CompletableFuture<T>> call) {
            if (isDue(thrown)) {
                throw new IllegalArgumentException("made for the test");
            }
            return isDue(failed)
                    ? CompletableFuture.failedFuture(new IllegalStateException("made for the test"))
                    : call.get();
        }

        @Override
        public CompletableFuture<Void> export(List<CachePart> parts, CachePartCallback target) {
            return unlessDue(Call.EXPORT, Call.EXPORT_FUTURE, () -> super.export(parts, target));
        }

        @Override
        public CompletableFuture<Void> adopt(List<CachePart> parts, CachePartCallback source) {
            return unlessDue(Call.ADOPT, Call.ADOPT_FUTURE, () -> super.adopt(parts, source));
        }

        @Override
        public CompletableFuture<Void> change(CacheChanges changes) {
            return unlessDue(Call.CHANGE, Call.CHANGE_FUTURE, () -> super.change(changes));
        }

        @Override
        public CompletableFuture<ShardResult> forward(
                Batch batch, Optional<LayerActivations> boundary) {
            synchronized (this) {
                if (poison.test(batch)) {
                    throw new IllegalStateException("made for the test");
                }
            }
            return unlessDue(
                    Call.FORWARD, Call.FORWARD_FUTURE, () -> super.forward(batch, boundary));
        }
    }

    private static EngineOptions options(int parallel) {
        return new EngineOptions(
                new EngineOptions.Capacity(
                        CONTEXT,
                        parallel,
                        new KvCacheConfig(parallel * POOL, EngineOptions.Capacity.rowsFor(parallel))
                                .with(new PagingOptions(POOL, PagePolicy.QK, 64))),
                64);
    }

    private static List<Ask> asks() {
        return IntStream.range(0, PARALLEL)
                .mapToObj(i -> Ask.of(PlainEngine.text(i, 600 + 20 * i), 70, 300))
                .toList();
    }

    private static List<List<Integer>> cold(PlainModel model) throws Exception {
        try (EngineCore engine = PlainEngine.start(model, options(1), 1)) {
            List<List<Integer>> answers = new ArrayList<>();
            for (Ask ask : asks()) {
                answers.add(ask.within(CacheScope.none()).ask(engine).await());
            }
            return answers;
        }
    }

    private static List<FaultyPlainShard> shards(PlainModel model, EngineOptions options) {
        return PlainEngine.ranges(model, 2).stream()
                .map(range -> new FaultyPlainShard(model, range, PlainEngine.sizes(options)))
                .toList();
    }

    /** Submits all requests at once; returns how many failed. Checks the tokens of the rest. */
    private static int ended(EngineCore engine, List<List<Integer>> cold, String name)
            throws Exception {
        List<Collected> answers = PlainEngine.askAll(engine, asks());
        int ended = 0;
        for (int i = 0; i < answers.size(); i++) {
            try {
                assertEquals(cold.get(i), answers.get(i).await(), name + ", request " + i);
            } catch (ExecutionException e) {
                ended++;
            }
        }
        return ended;
    }

    /** Fills all pools, so that cached prefixes remain only in host memory. */
    private static void pushOff(EngineCore engine) throws Exception {
        Ask large = Ask.of(PlainEngine.text(-1, 700), 1).within(CacheScope.none());
        for (Collected answer : PlainEngine.askAll(engine, Collections.nCopies(PARALLEL, large))) {
            answer.await();
        }
    }

    @ParameterizedTest
    @EnumSource
    @ByDay({1, 4, 6, 7})
    void failedCallEndsOnlyARequestThatRanAlone(Call call) throws Exception {
        PlainModel model = PlainEngine.model(true);
        List<List<Integer>> cold = cold(model);
        int failed = 0;
        for (int after : FAULTS) {
            EngineOptions options = PlainEngine.withHost(options(PARALLEL), model, 64 << 20);
            List<FaultyPlainShard> shards = shards(model, options);
            FaultyPlainShard faulty = shards.get(after % 2);
            try (EngineCore engine = PlainEngine.start(model, options, shards)) {
                boolean exports = call == Call.EXPORT || call == Call.EXPORT_FUTURE;
                if (exports) {
                    faulty.failOnce(call, after);
                }
                int ended = ended(engine, cold, call + " after " + after);
                pushOff(engine);
                if (!exports) {
                    faulty.failOnce(call, after);
                }

                ended += ended(engine, cold, call + " after " + after);

                boolean computes = call == Call.FORWARD || call == Call.FORWARD_FUTURE;
                assertTrue(ended <= (computes ? 1 : 0), ended + " ended by " + call);
                assertFalse(engine.broken().isDone());
                failed += faulty.hasFailed() ? 1 : 0;
            }
        }
        assertTrue(failed > 0, "no call failed");
    }

    @Test
    void requestThatFailsEachStepFailsAlone() throws Exception {
        PlainModel model = PlainEngine.model(true);
        List<List<Integer>> cold = cold(model);
        EngineOptions options = PlainEngine.withHost(options(PARALLEL), model, 64 << 20);
        List<FaultyPlainShard> shards = shards(model, options);
        int token = cold.get(1).get(20);
        List<Integer> before = cold.get(1).subList(0, 20);
        int position = asks().get(1).prompt().length + before.size();
        shards.getFirst()
                .poison(
                        batch ->
                                batch.chunks().stream()
                                        .anyMatch(
                                                chunk ->
                                                        chunk.sequence() == 1
                                                                && chunk.firstPosition() == position
                                                                && Arrays.equals(
                                                                        new int[] {token},
                                                                        chunk.tokens())));
        try (EngineCore engine = PlainEngine.start(model, options, shards)) {
            List<Collected> answers = PlainEngine.askAll(engine, asks());

            for (int i = 0; i < answers.size(); i++) {
                if (i != 1) {
                    assertEquals(cold.get(i), answers.get(i).await(), "request " + i);
                }
            }
            ExecutionException failure =
                    assertThrows(ExecutionException.class, answers.get(1)::end);
            assertEquals(
                    VarveException.Kind.BACKEND_FAILED,
                    ((VarveException) failure.getCause()).kind());
            assertTrue(PlainEngine.status(engine).counts().failures().steps() >= 2);
            assertFalse(engine.broken().isDone());
        }
    }
}
