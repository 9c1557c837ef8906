package dev.varve.platform.engine;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.testkit.Await;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/** A plain shard that runs an action in the middle of a copy to or from host memory. */
final class MovingShard extends PlainShard {
    /** Direction of a copy. */
    enum Move {
        EXPORT,
        ADOPT
    }

    private Move move = Move.EXPORT;
    private int callsUntilTrap = Integer.MAX_VALUE;
    private boolean whole;
    private Supplier<CompletableFuture<Void>> outcome = () -> null;
    private CountDownLatch sprung = new CountDownLatch(1);

    MovingShard(PlainModel model, LayerRange range, Sizes sizes) {
        super(model, range, sizes);
    }

    /**
     * Sets an action that runs once.
     *
     * @param calls successful calls before it
     * @param what runs when one part of the next call was copied; returns the result of the call
     */
    void trap(Move when, int calls, Supplier<CompletableFuture<Void>> what) {
        trap(when, calls, false, what);
    }

    /** Holds the result of a call until the test completes it. */
    CompletableFuture<Void> hold(Move when, int calls) {
        CompletableFuture<Void> held = new CompletableFuture<>();
        trap(when, calls, true, () -> held);
        return held;
    }

    private synchronized void trap(
            Move when, int calls, boolean copiesAll, Supplier<CompletableFuture<Void>> what) {
        move = when;
        whole = copiesAll;
        callsUntilTrap = calls;
        outcome = what;
        sprung = new CountDownLatch(1);
    }

    /** Waits until the action has run. */
    void awaitTrap() {
        CountDownLatch latch;
        synchronized (this) {
            latch = sprung;
        }
        Await.latch(latch);
    }

    private synchronized boolean isDue(Move now) {
        return now == move && callsUntilTrap-- == 0;
    }

    private CompletableFuture<Void> spring() {
        CompletableFuture<Void> result = outcome.get();
        sprung.countDown();
        return result;
    }

    @Override
    public CompletableFuture<Void> export(List<CachePart> parts, CachePartCallback target) {
        if (isDue(Move.EXPORT)) {
            super.export(parts.subList(0, whole ? parts.size() : 1), target).join();
            return spring();
        }
        return super.export(parts, target);
    }

    @Override
    public CompletableFuture<Void> adopt(List<CachePart> parts, CachePartCallback source) {
        if (isDue(Move.ADOPT)) {
            super.adopt(parts.subList(0, whole ? parts.size() : 1), source).join();
            return spring();
        }
        return super.adopt(parts, source);
    }
}
