package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.FakeShard;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.KeptParts;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardResult;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;

/**
 * Tests that copies keep their order among the batches in every shard, even if shards are several
 * batches apart.
 */
@Timeout(60)
class PipelineOrderTest {
    private static final List<String> CALLS =
            List.of("batch 1", "export", "batch 2", "copy", "adopt", "batch 3", "export");

    /** A shard that records its calls; its batches may wait for the test. */
    private static class ListingShard extends FakeShard {
        private final List<String> calls = new CopyOnWriteArrayList<>();
        private final CountDownLatch mayCompute = new CountDownLatch(1);

        ListingShard(LayerRange range, Object turn) {
            super(range, "listing:" + range.begin(), turn);
        }

        @Override
        public CompletableFuture<ShardResult> forward(
                Batch batch, Optional<LayerActivations> boundary) {
            Await.latch(mayCompute);
            calls.add("batch " + batch.chunks().getFirst().sequence());
            return CompletableFuture.completedFuture(
                    new ShardResult(
                            new float[0],
                            new int[0],
                            0,
                            Optional.of(new HostActivations(new float[1], 1)),
                            List.of()));
        }

        @Override
        public CompletableFuture<Void> change(CacheChanges changes) {
            calls.add("copy");
            return super.change(changes);
        }

        @Override
        public CompletableFuture<Void> export(List<CachePart> parts, CachePartCallback target) {
            calls.add("export");
            return super.export(parts, target);
        }

        @Override
        public CompletableFuture<Void> adopt(List<CachePart> parts, CachePartCallback source) {
            calls.add("adopt");
            return super.adopt(parts, source);
        }
    }

    private static List<ListingShard> shards(int count, boolean apart) {
        Object turn = new Object();
        return IntStream.range(0, count)
                .mapToObj(
                        i ->
                                new ListingShard(
                                        new LayerRange(i, i + 1), apart ? new Object() : turn))
                .toList();
    }

    private static List<CachePart> parts(int layers) {
        return IntStream.range(0, layers)
                .mapToObj(layer -> (CachePart) new CachePart.State(layer, List.of(1L), 1, 1))
                .toList();
    }

    private static Batch batch(int number) {
        return new Batch(
                List.of(
                        new SequenceChunk(
                                number,
                                new int[] {1},
                                ChunkPlacement.start(new KvSlotSpan(0, KvSlotSpan.BLOCK), 1),
                                RequestedOutput.NONE)),
                Phase.PREFILL);
    }

    private static List<CompletableFuture<?>> callAll(ShardPipeline pipeline, int layers) {
        List<CachePart> parts = parts(layers);
        List<CompletableFuture<?>> results = new ArrayList<>();
        for (String call : CALLS) {
            results.add(
                    switch (call) {
                        case "export" -> pipeline.export(parts, new KeptParts());
                        case "adopt" -> pipeline.adopt(parts, KeptParts.zeros(parts));
                        case "copy" ->
                                pipeline.change(
                                        CacheChanges.copies(List.of(new KvSlotCopy(0, 256, 1))));
                        default -> pipeline.submit(batch(call.charAt(6) - '0'));
                    });
        }
        return results;
    }

    /**
     * The batches of one shard are held, so that the other shards could get ahead or fall behind.
     */
    @ParameterizedTest
    @CsvSource({"2, 0", "2, 1", "3, 0", "3, 1", "3, 2", "4, 2"})
    void everyShardGetsCallsInOrder(int count, int held) {
        List<ListingShard> shards = shards(count, true);
        try (ShardPipeline pipeline = new ShardPipeline(shards)) {
            for (int i = 0; i < count; i++) {
                if (i != held) {
                    shards.get(i).mayCompute.countDown();
                }
            }

            List<CompletableFuture<?>> results = callAll(pipeline, count);
            assertTrue(results.stream().noneMatch(CompletableFuture::isDone));
            shards.get(held).mayCompute.countDown();
            results.forEach(Await::result);

            shards.forEach(shard -> assertEquals(CALLS, shard.calls, shard.device()));
        }
    }

    @Test
    void shardsOfOneTurnGetCallsInOrder() {
        List<ListingShard> shards = shards(3, false);
        shards.forEach(shard -> shard.mayCompute.countDown());
        try (ShardPipeline pipeline = new ShardPipeline(shards)) {
            callAll(pipeline, 3).forEach(Await::result);

            shards.forEach(shard -> assertEquals(CALLS, shard.calls, shard.device()));
        }
    }

    /** Thousands of calls cover the possible interleavings of the threads. */
    @Test
    void orderHoldsWithoutWaiting() {
        List<ListingShard> shards = shards(3, true);
        shards.forEach(shard -> shard.mayCompute.countDown());
        try (ShardPipeline pipeline = new ShardPipeline(shards)) {
            List<CompletableFuture<?>> results = new ArrayList<>();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                results.addAll(callAll(pipeline, 3));
                expected.addAll(CALLS);
            }
            results.forEach(Await::result);

            shards.forEach(shard -> assertEquals(expected, shard.calls, shard.device()));
        }
    }

    @Test
    void shardsWithoutPartsAreNotCalled() {
        List<ListingShard> shards = shards(3, true);
        try (ShardPipeline pipeline = new ShardPipeline(shards)) {
            Await.result(pipeline.export(parts(3).subList(1, 2), new KeptParts()));

            assertEquals(
                    List.of(List.of(), List.of("export"), List.of()),
                    shards.stream().map(shard -> List.copyOf(shard.calls)).toList());
        }
    }

    /** A caller that waits for such a call would wait forever. */
    @Test
    void callThatTheCloseOverlapsFails() throws Exception {
        Object turn = new Object();
        CompletableFuture<Thread> worker = new CompletableFuture<>();
        ListingShard first = new ListingShard(new LayerRange(0, 1), turn);
        ListingShard second =
                new ListingShard(new LayerRange(1, 2), new Object()) {
                    @Override
                    public CompletableFuture<Void> change(CacheChanges changes) {
                        worker.complete(Thread.currentThread());
                        return super.change(changes);
                    }
                };
        ListingShard third = new ListingShard(new LayerRange(2, 3), turn);
        ShardPipeline pipeline = new ShardPipeline(List.of(first, second, third));
        CacheChanges copy = CacheChanges.copies(List.of(new KvSlotCopy(0, 256, 1)));
        Await.result(pipeline.change(copy));
        pipeline.submit(batch(1));
        CompletableFuture<Void> overlapped = pipeline.change(copy);

        Thread closing = Thread.startVirtualThread(pipeline::close);
        Await.result(worker).join();
        first.mayCompute.countDown();

        assertInstanceOf(RejectedExecutionException.class, Await.failure(overlapped));
        closing.join();
    }

    @Test
    void failingShardFailsTheCallAndOthersAreStillCalled() {
        CompletableFuture<Void> failing = new CompletableFuture<>();
        List<FakeShard> shards = new ArrayList<>();
        shards.add(
                new FakeShard(new LayerRange(0, 1), "failing:0", new Object()) {
                    @Override
                    public CompletableFuture<ShardResult> forward(
                            Batch batch, Optional<LayerActivations> boundary) {
                        throw new AssertionError("no batch was submitted");
                    }

                    @Override
                    public CompletableFuture<Void> export(
                            List<CachePart> parts, CachePartCallback bytes) {
                        return failing;
                    }

                    @Override
                    public CompletableFuture<Void> adopt(
                            List<CachePart> parts, CachePartCallback bytes) {
                        throw new IllegalArgumentException("on the spot");
                    }
                });
        ListingShard other = new ListingShard(new LayerRange(1, 2), new Object());
        shards.add(other);
        try (ShardPipeline pipeline = new ShardPipeline(shards)) {
            CompletableFuture<Void> exported = pipeline.export(parts(2), new KeptParts());
            CompletableFuture<Void> adopted = pipeline.adopt(parts(2), KeptParts.zeros(parts(2)));
            assertInstanceOf(IllegalArgumentException.class, Await.failure(adopted));
            Await.until("the other one was asked", () -> other.calls.size() == 2);
            assertFalse(exported.isDone());

            failing.completeExceptionally(
                    new VarveException(VarveException.Kind.BACKEND_FAILED, "out of order"));

            assertInstanceOf(VarveException.class, Await.failure(exported));
        }
    }
}
