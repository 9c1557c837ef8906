package dev.varve.platform.http.live;

import dev.varve.platform.engine.Generation;
import dev.varve.platform.engine.GenerationProgress;
import dev.varve.platform.http.access.Caller;
import dev.varve.platform.sequence.CacheScope;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * An answer that is being made, from when its request was read until nobody works on it any more.
 * Thread-safe.
 */
public final class ActiveRequest implements AutoCloseable {
    /**
     * Where a request came from.
     *
     * @param model that it is for
     * @param route that took it
     * @param requestId that its client knows it by, and may have chosen
     */
    public record Origin(String model, String route, String requestId) {
        /** Checks that nothing is missing. */
        public Origin {
            Objects.requireNonNull(model);
            Objects.requireNonNull(route);
            Objects.requireNonNull(requestId);
        }
    }

    /**
     * What works on an answer.
     *
     * @param generations one for each choice
     * @param scope whose computed prompts it goes on with
     * @param excerpt some of its prompt; asked for only if its caller wants to see it
     * @param cancel ends it; its client is told
     */
    public record BatchEntry(
            List<Generation> generations,
            CacheScope scope,
            Supplier<String> excerpt,
            Runnable cancel) {
        /** Copies the generations. */
        public BatchEntry {
            generations = List.copyOf(generations);
        }
    }

    private final String id;
    private final long number;
    private final Origin origin;
    private final Caller caller;
    private final Runnable remove;
    private final long begin = System.nanoTime();
    private Optional<BatchEntry> work = Optional.empty();
    private volatile boolean cancelled;

    ActiveRequest(String id, long number, Origin origin, Caller caller, Runnable remove) {
        this.id = id;
        this.number = number;
        this.origin = origin;
        this.caller = caller;
        this.remove = remove;
    }

    /** Name by which it is cancelled. */
    public String id() {
        return id;
    }

    long number() {
        return number;
    }

    /** Where its request came from. */
    public Origin origin() {
        return origin;
    }

    /** Whether it is of a caller: only he may see what was said. */
    public boolean isOf(Caller other) {
        return caller.owner().equals(other.owner());
    }

    /** Time since its request was read. */
    public Duration age() {
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    /** Whether somebody else than its client ended it. */
    public boolean isCancelled() {
        return cancelled;
    }

    /** The engine works on it from now on; at once the last it does, if it is cancelled already. */
    public void runs(BatchEntry begun) {
        synchronized (this) {
            work = Optional.of(begun);
        }
        if (cancelled) {
            begun.cancel().run();
        }
    }

    /** Ends it; its client is told. Does nothing the second time. */
    public void cancel() {
        cancelled = true;
        work().ifPresent(each -> each.cancel().run());
    }

    /** What the engine does for it; empty as long as that does not know it. */
    synchronized Optional<BatchEntry> work() {
        return work;
    }

    /** How far its choices are; empty before the engine knows it. */
    List<GenerationProgress> progress() {
        return work().stream()
                .flatMap(each -> each.generations().stream())
                .flatMap(each -> each.progress().stream())
                .toList();
    }

    /** Nobody works on it any more. */
    @Override
    public void close() {
        remove.run();
    }
}
