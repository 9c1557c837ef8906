package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.prefix.CacheMover;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.shard.ExpertCounts;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.lora.AdapterChange;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * The shards of a model in layer order; a batch passes through all of them. Batches that were
 * submitted one after the other overlap: while one is in the second shard, the next one may be in
 * the first, unless both compute on the same cores. Owns the shards.
 */
public final class ShardPipeline implements CacheMover, AutoCloseable {
    private final List<PipelineStage> stages;
    private final List<DeviceWorker> workers;
    private final MicroBatchOptimizer microBatches;

    /**
     * Creates a pipeline of shards.
     *
     * @throws IllegalArgumentException if the ranges do not follow each other from layer 0
     */
    public ShardPipeline(List<? extends Shard> shards) {
        int next = 0;
        for (Shard shard : shards) {
            if (shard.range().begin() != next) {
                throw new IllegalArgumentException(
                        "shard " + shard.range() + " does not begin at layer " + next);
            }
            next = shard.range().end();
        }
        if (next == 0) {
            throw new IllegalArgumentException("a pipeline needs a shard");
        }
        List<List<Shard>> groups = groups(shards);
        stages = new ArrayList<>();
        workers = new ArrayList<>();
        if (groups.size() > 1) {
            groups.forEach(group -> workers.add(DeviceWorker.start(group.getFirst().device())));
        }
        microBatches =
                new MicroBatchOptimizer(
                        shards.stream().map(shard -> indexOf(shard, groups)).toList());
        for (Shard shard : shards) {
            // A single group: no batches overlap, and a change of threads would cost time.
            DeviceWorker worker =
                    workers.isEmpty() ? DeviceWorker.inline() : workers.get(indexOf(shard, groups));
            stages.add(new PipelineStage(shard, worker, recorder(stages.size())));
        }
        if (depth() > 1) {
            shards.getLast().keepLogits(depth());
        }
    }

    private PipelineStage.DecodeRecorder recorder(int stage) {
        return (rows, tokens, nanos) -> {
            if (depth() > 1) {
                microBatches.record(stage, rows, tokens, nanos);
            }
        };
    }

    /** Groups shards that run one at a time, since they share compute resources within a group. */
    private static List<List<Shard>> groups(List<? extends Shard> shards) {
        List<List<Shard>> groups = new ArrayList<>();
        for (Shard shard : shards) {
            List<Shard> own = new ArrayList<>();
            own.add(shard);
            for (List<Shard> group : List.copyOf(groups)) {
                if (group.stream()
                        .anyMatch(each -> each.computesOn().sharesWith(shard.computesOn()))) {
                    own.addAll(group);
                    groups.remove(group);
                }
            }
            groups.add(own);
        }
        return groups;
    }

    private static int indexOf(Shard shard, List<List<Shard>> groups) {
        int index = 0;
        while (!groups.get(index).contains(shard)) {
            index++;
        }
        return index;
    }

    private ShardPipeline(List<PipelineStage> stages, MicroBatchOptimizer microBatches) {
        this.stages = stages;
        this.microBatches = microBatches;
        workers = List.of();
    }

    /**
     * Returns a warm-up pipeline over the same shards, which computes nothing. Must not be closed,
     * and not be used together with this one.
     */
    ShardPipeline forWarmup() {
        return new ShardPipeline(
                stages.stream().map(PipelineStage::forWarmup).toList(), microBatches);
    }

    /** The shards in layer order. */
    public List<Shard> shards() {
        return stages.stream().map(PipelineStage::shard).toList();
    }

    /** Returns the number of tokens of which a piece of a window has a multiple, for all shards. */
    public int columnGroup() {
        return stages.stream().mapToInt(stage -> stage.shard().columnGroup()).max().orElseThrow();
    }

    /**
     * Returns the time that the calling thread spent so far on the computation of batches, in
     * nanoseconds; 0 if the shards have threads of their own.
     */
    long callerComputeNanos() {
        long nanos = 0;
        if (workers.isEmpty()) {
            for (PipelineStage stage : stages) {
                nanos += stage.shard().computeNanos();
            }
        }
        return nanos;
    }

    /** Returns the status of the shards in layer order, with their durations. */
    public List<ShardStatus> status() {
        return stages.stream().map(PipelineStage::status).toList();
    }

    /** Returns the counts of experts of all shards. */
    ExpertCounts experts() {
        ExpertCounts sum = ExpertCounts.NONE;
        for (PipelineStage stage : stages) {
            sum = sum.plus(stage.shard().experts());
        }
        return sum;
    }

    /**
     * Returns the number of in-flight batches that keeps every shard busy; 1 if batches cannot
     * overlap.
     */
    public int depth() {
        return overlapping() == 1 ? 1 : overlapping() + 1;
    }

    /** Returns the number of batches that may compute at the same time. */
    int overlapping() {
        return microBatches.most();
    }

    /** Returns the number of batches into which some rows of decode should be divided. */
    int microBatches(int rows) {
        return microBatches.choose(rows);
    }

    /**
     * Sends a batch through all shards, after those that were submitted before. Fails with a {@link
     * VarveException} if a shard fails; the state of the batch's sequences and the rows that it
     * copied are then undefined.
     */
    public CompletableFuture<ShardResult> submit(Batch batch) {
        CompletableFuture<ShardResult> last = stages.getFirst().forward(batch, Optional.empty());
        if (stages.size() == 1 && batch.captures().isEmpty()) {
            // The only shard returns all page scores.
            return last;
        }
        List<CompletableFuture<ShardResult>> all = new ArrayList<>(stages.size());
        all.add(last);
        for (PipelineStage stage : stages.subList(1, stages.size())) {
            last = last.thenCompose(result -> stage.forward(batch, result.boundary()));
            all.add(last);
        }
        return batch.captures().isEmpty() && batch.queries().isEmpty()
                ? last
                : last.thenApply(result -> gather(batch, result, all));
    }

    /**
     * Returns the last shard's result with the features and scores of all shards.
     *
     * @throws FeaturesNotCapturedException if a requested feature is missing
     */
    private static ShardResult gather(
            Batch batch, ShardResult last, List<CompletableFuture<ShardResult>> results) {
        Map<Integer, CapturedFeature> byLayer = new TreeMap<>();
        for (CompletableFuture<ShardResult> result : results) {
            result.join().features().forEach(feature -> byLayer.put(feature.layer(), feature));
        }
        List<Integer> missing =
                batch.captures().stream().filter(layer -> !byLayer.containsKey(layer)).toList();
        if (!missing.isEmpty()) {
            throw new FeaturesNotCapturedException(missing);
        }
        return new ShardResult(
                last.logits(),
                last.best(),
                last.rows(),
                last.boundary(),
                List.copyOf(byLayer.values()),
                last.top(),
                results.stream().flatMap(each -> each.join().scores().stream()).toList());
    }

    @Override
    public CompletableFuture<Void> change(CacheChanges changes) {
        return inOrder(range -> Optional.of(shard -> shard.change(changes)));
    }

    /**
     * Adds or removes an adapter in each shard, after all batches that were submitted before.
     * Completes after all shards have responded; a failure names one of the shards that refused.
     */
    CompletableFuture<Void> adapt(AdapterChange change) {
        return inOrder(
                range ->
                        Optional.of(
                                shard ->
                                        shard.adapt(change)
                                                .exceptionallyCompose(
                                                        failure ->
                                                                CompletableFuture.failedFuture(
                                                                        named(shard, failure)))));
    }

    private static Throwable named(Shard shard, Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return switch (cause) {
            // The message names the shard already.
            case ShardLostException lost -> lost;
            case VarveException refused ->
                    new VarveException(
                            refused.kind(),
                            "shard "
                                    + shard.device()
                                    + " (layers "
                                    + shard.range().begin()
                                    + " to "
                                    + (shard.range().end() - 1)
                                    + "): "
                                    + refused.getMessage(),
                            refused);
            default -> failure;
        };
    }

    @Override
    public CompletableFuture<Void> export(List<CachePart> parts, CachePartCallback target) {
        return move(parts, target, Shard::export);
    }

    @Override
    public CompletableFuture<Void> adopt(List<CachePart> parts, CachePartCallback source) {
        return move(parts, source, Shard::adopt);
    }

    /** {@link Shard#export} or {@link Shard#adopt}. */
    private interface TransferCall {
        CompletableFuture<Void> of(Shard shard, List<CachePart> parts, CachePartCallback bytes);
    }

    private CompletableFuture<Void> move(
            List<CachePart> parts, CachePartCallback bytes, TransferCall move) {
        return inOrder(
                range -> {
                    ShardTransferParts own = ShardTransferParts.of(range, parts, bytes);
                    return own.parts().isEmpty()
                            ? Optional.empty()
                            : Optional.of(shard -> move.of(shard, own.parts(), own));
                });
    }

    /**
     * Runs an operation in each shard, after all batches that were submitted before. The operations
     * start in layer order, like a batch, and run in parallel.
     *
     * @param work operation of the shard with a layer range, if any
     */
    private CompletableFuture<Void> inOrder(
            Function<LayerRange, Optional<Function<Shard, CompletableFuture<Void>>>> work) {
        List<CompletableFuture<Void>> all = new ArrayList<>(stages.size());
        CompletableFuture<Void> turn = CompletableFuture.completedFuture(null);
        for (PipelineStage stage : stages) {
            Function<Shard, CompletableFuture<Void>> own =
                    work.apply(stage.shard().range())
                            .orElse(shard -> CompletableFuture.completedFuture(null));
            CompletableFuture<Void> result = new CompletableFuture<>();
            turn = turn.thenCompose(before -> stage.move(own, result));
            // A stage whose worker is closed does not start it; neither do the stages after it.
            turn.whenComplete(
                    (begun, failure) -> {
                        if (failure != null) {
                            result.completeExceptionally(failure);
                        }
                    });
            all.add(result);
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
    }

    /**
     * Runs a batch through all shards and waits.
     *
     * @throws VarveException if a shard fails; the state of the batch's sequences is then undefined
     */
    public ShardResult forward(Batch batch) {
        return join(submit(batch));
    }

    /**
     * Makes lost shards usable again. Completes once all shards are ready, with empty caches where
     * one was lost.
     */
    public CompletableFuture<Void> recover() {
        return CompletableFuture.allOf(
                stages.stream()
                        .map(stage -> stage.shard().recover())
                        .toArray(CompletableFuture[]::new));
    }

    /** Bytes of all shards, on their devices and in host memory. */
    public ShardMemory memory() {
        ShardMemory sum = new ShardMemory(0, 0, 0, 0);
        for (PipelineStage stage : stages) {
            ShardMemory each = stage.shard().memory();
            sum =
                    new ShardMemory(
                            sum.weights() + each.weights(),
                            sum.mappedWeights() + each.mappedWeights(),
                            sum.kv() + each.kv(),
                            sum.compute() + each.compute(),
                            sum.hostPages() + each.hostPages());
        }
        return sum;
    }

    /**
     * Waits for a result.
     *
     * @throws VarveException the failure of the shard
     */
    static <T> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof VarveException failure) {
                throw failure;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        workers.forEach(DeviceWorker::close);
        Optional<Throwable> failure = Optional.empty();
        for (PipelineStage stage : stages) {
            try {
                stage.shard().close();
            } catch (RuntimeException | Error e) {
                // The other shards must still be closed.
                failure.ifPresent(e::addSuppressed);
                failure = Optional.of(e);
            }
        }
        failure.ifPresent(
                e -> {
                    throw new IllegalStateException("closing a shard failed", e);
                });
    }
}
