package dev.varve.platform.engine;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardResult;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A hashing shard of which one call fails, or all calls of a kind after some time. */
final class FaultyShard extends HashingShard {
    /** Kinds of calls of an engine. */
    enum Call {
        FORWARD,
        FORWARD_FUTURE,
        MEMORY,
        HEALTH,
        DEVICE,
        BOUNDARY_MILLIS,
        RECOVER,
        RECOVER_FUTURE,
        CLOSE
    }

    private final Call call;
    private final Supplier<? extends Throwable> fault;
    private final AtomicInteger callsUntilFault = new AtomicInteger(Integer.MAX_VALUE);
    private volatile int faults;

    FaultyShard(
            LayerRange range,
            EngineOptions sizes,
            Object turn,
            Call call,
            Supplier<? extends Throwable> fault) {
        super(range, HashingModel.LAYERS, turn, () -> {}, sizes, true);
        this.call = call;
        this.fault = fault;
    }

    /** Lets {@code calls} calls succeed and the following {@code count} ones fail. */
    void failAfter(int calls, int count) {
        faults = count;
        callsUntilFault.set(calls);
    }

    private Optional<Throwable> due(Call now) {
        if (now != call) {
            return Optional.empty();
        }
        int left = callsUntilFault.getAndDecrement();
        return left <= 0 && left > -faults ? Optional.of(fault.get()) : Optional.empty();
    }

    private void pass(Call now) {
        due(now).ifPresent(FaultyShard::throwUnchecked);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwUnchecked(Throwable failure) throws T {
        throw (T) failure;
    }

    @Override
    public CompletableFuture<ShardResult> forward(
            Batch batch, Optional<LayerActivations> boundary) {
        pass(Call.FORWARD);
        return due(Call.FORWARD_FUTURE)
                .map(CompletableFuture::<ShardResult>failedFuture)
                .orElseGet(() -> super.forward(batch, boundary));
    }

    @Override
    public ShardMemory memory() {
        pass(Call.MEMORY);
        return super.memory();
    }

    @Override
    public ShardHealth health() {
        pass(Call.HEALTH);
        return super.health();
    }

    @Override
    public String device() {
        pass(Call.DEVICE);
        return super.device();
    }

    @Override
    public double boundaryMillis() {
        pass(Call.BOUNDARY_MILLIS);
        return super.boundaryMillis();
    }

    @Override
    public CompletableFuture<Void> recover() {
        pass(Call.RECOVER);
        return due(Call.RECOVER_FUTURE)
                .map(CompletableFuture::<Void>failedFuture)
                .orElseGet(super::recover);
    }

    @Override
    public void close() {
        pass(Call.CLOSE);
    }
}
