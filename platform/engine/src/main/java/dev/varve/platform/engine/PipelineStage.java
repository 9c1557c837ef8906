package dev.varve.platform.engine;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardResult;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A shard in the pipeline, with the thread that calls it and its durations. Warm-up uses this class
 * too: code that it compiled for a subclass would be discarded at the first request.
 */
final class PipelineStage {
    private final Shard shard;
    private final DeviceWorker worker;
    private final BatchCall call;
    private final LongAdder forwards = new LongAdder();
    private final LongAdder tokens = new LongAdder();
    private final LongAdder forwardNanos = new LongAdder();
    private final RecentBatchTimes recent = new RecentBatchTimes();

    private final DecodeRecorder recorder;

    /** Passes a batch to the shard. */
    @FunctionalInterface
    private interface BatchCall {
        CompletableFuture<ShardResult> submit(Batch batch, Optional<LayerActivations> boundary);
    }

    /** Receives the durations of decode batches. */
    @FunctionalInterface
    interface DecodeRecorder {
        void record(int rows, int tokens, long nanos);
    }

    /**
     * @param recorder is called from the thread that completes a batch
     */
    PipelineStage(Shard shard, DeviceWorker worker, DecodeRecorder recorder) {
        this.shard = shard;
        this.worker = worker;
        this.recorder = recorder;
        call = this::submit;
    }

    /** Creates a warm-up stage for the shard of another one. */
    private PipelineStage(PipelineStage other) {
        shard = other.shard;
        worker = other.worker;
        recorder = other.recorder;
        call = shard::warmUp;
    }

    /** Returns a warm-up stage for the same shard, which computes, counts and records nothing. */
    PipelineStage forWarmup() {
        return new PipelineStage(this);
    }

    Shard shard() {
        return shard;
    }

    ShardStatus status() {
        return new ShardStatus(
                shard.device(),
                shard.range(),
                shard.memory(),
                shard.health(),
                new ShardStatus.ForwardTotals(
                        forwards.sum(),
                        tokens.sum(),
                        forwardNanos.sum() / 1e6,
                        shard.boundaryMillis(),
                        shard.graphs(),
                        shard.experts(),
                        shard.traffic(),
                        recent.get()),
                shard.peer());
    }

    /** Runs a batch in the shard, in the order of the calls. */
    CompletableFuture<ShardResult> forward(Batch batch, Optional<LayerActivations> boundary) {
        return inTurn(() -> call.submit(batch, boundary));
    }

    /** Computes a batch and records its duration. */
    private CompletableFuture<ShardResult> submit(
            Batch batch, Optional<LayerActivations> boundary) {
        long begin = System.nanoTime();
        ForwardRecording recording = ForwardRecording.begin(shard, batch);
        return shard.forward(batch, boundary)
                .whenComplete(
                        (result, failure) -> {
                            forwards.increment();
                            tokens.add(batch.tokens());
                            long nanos = System.nanoTime() - begin;
                            forwardNanos.add(nanos);
                            if (failure == null) {
                                record(batch, nanos);
                            }
                            recording.end(failure == null);
                        });
    }

    private void record(Batch batch, long nanos) {
        recent.record(batch.phase(), batch.tokens(), nanos);
        if (batch.phase() == Phase.DECODE) {
            recorder.record(batch.chunks().size(), batch.tokens(), nanos);
        }
    }

    /**
     * Starts a move of cache parts, in the order of the calls, without waiting for its end.
     *
     * @param result completes with the move
     * @return completes when the move starts, so that the next shard can be called
     */
    CompletableFuture<Void> move(
            Function<Shard, CompletableFuture<Void>> work, CompletableFuture<Void> result) {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        worker.run(
                () -> {
                    begun.complete(null);
                    try {
                        work.apply(shard)
                                .whenComplete(
                                        (done, failure) -> {
                                            if (failure == null) {
                                                result.complete(null);
                                            } else {
                                                result.completeExceptionally(failure);
                                            }
                                        });
                    } catch (RuntimeException | Error e) {
                        result.completeExceptionally(e);
                    }
                });
        return begun;
    }

    /** Runs work on the stage's thread, and blocks that thread until the result is complete. */
    private <T> CompletableFuture<T> inTurn(Supplier<CompletableFuture<T>> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        worker.run(
                () -> {
                    try {
                        result.complete(ShardPipeline.join(work.get()));
                    } catch (RuntimeException | Error e) {
                        result.completeExceptionally(e);
                    }
                });
        return result;
    }
}
