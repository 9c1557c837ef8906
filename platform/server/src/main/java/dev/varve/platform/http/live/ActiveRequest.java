package dev.varve.platform.http.live;

import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.engine.GenerationProgress;
import dev.varve.platform.http.access.Caller;
import dev.varve.platform.sequence.CacheScope;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/** A request that the server has accepted and not finished. Thread-safe. */
public final class ActiveRequest implements AutoCloseable {
    /**
     * Model, route and id of a request.
     *
     * @param model id of its model
     * @param route label of its route
     * @param requestId id that the client received, and may have chosen
     */
    public record RequestIdentity(String model, String route, String requestId) {
        /** Checks for null. */
        public RequestIdentity {
            Objects.requireNonNull(model);
            Objects.requireNonNull(route);
            Objects.requireNonNull(requestId);
        }
    }

    /**
     * The engine's work for a request.
     *
     * @param generations one generation for each choice
     * @param scope cache scope of the request
     * @param excerpt excerpt of the prompt; computed only for a report to its caller
     * @param cancel cancels the request; its client receives an error
     * @param responseId id of the response; empty if its format has none
     * @param endReasoning ends the reasoning of all choices, as if their budget were used up
     */
    public record Execution(
            List<GenerationHandle> generations,
            CacheScope scope,
            Supplier<String> excerpt,
            Runnable cancel,
            Optional<String> responseId,
            Runnable endReasoning) {
        /** Copies the generations. */
        public Execution {
            generations = List.copyOf(generations);
        }
    }

    private final String id;
    private final long number;
    private final RequestIdentity origin;
    private final Caller caller;
    private final Runnable remove;
    private final long begin = System.nanoTime();
    private Optional<Execution> work = Optional.empty();
    private volatile boolean cancelled;

    ActiveRequest(String id, long number, RequestIdentity origin, Caller caller, Runnable remove) {
        this.id = id;
        this.number = number;
        this.origin = origin;
        this.caller = caller;
        this.remove = remove;
    }

    /** Returns the id by which the request is cancelled. */
    public String id() {
        return id;
    }

    long number() {
        return number;
    }

    /** Returns the model, route and id of the request. */
    public RequestIdentity origin() {
        return origin;
    }

    /** Returns whether the request belongs to a caller: only that caller may see its text. */
    public boolean isOf(Caller other) {
        return caller.owner().equals(other.owner());
    }

    /** Returns the time since the request was accepted. */
    public Duration age() {
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    /** Returns whether the request was cancelled by {@link #cancel}. */
    public boolean isCancelled() {
        return cancelled;
    }

    /** Attaches the engine's work; cancels it at once if the request is cancelled already. */
    public void setExecution(Execution execution) {
        synchronized (this) {
            work = Optional.of(execution);
        }
        if (cancelled) {
            execution.cancel().run();
        }
    }

    /** Cancels the request; its client receives an error. A second call has no effect. */
    public void cancel() {
        cancelled = true;
        work().ifPresent(each -> each.cancel().run());
    }

    /** Ends the reasoning of the response; before the submission no effect. */
    public void endReasoning() {
        work().ifPresent(each -> each.endReasoning().run());
    }

    /** Returns whether this is the id of the response. */
    boolean hasResponse(String responseId) {
        return work().flatMap(Execution::responseId).filter(responseId::equals).isPresent();
    }

    /** Returns the engine's work; empty before it was submitted. */
    synchronized Optional<Execution> work() {
        return work;
    }

    /** Returns the progress of the choices; empty before they were submitted. */
    List<GenerationProgress> progress() {
        return work().stream()
                .flatMap(each -> each.generations().stream())
                .flatMap(each -> each.progress().stream())
                .toList();
    }

    /** Removes the request from the active ones. */
    @Override
    public void close() {
        remove.run();
    }
}
