package dev.varve.platform.http.trace;

import java.util.Optional;

/**
 * Metadata of a request: its arrival time, its model, its progress, and its trace if it is traced.
 * Confined to the request's thread, except for the progress.
 */
public final class RequestContext {
    private final long begin;
    private final Optional<OpenSpan> span;
    private final RequestProgress progress = new RequestProgress();
    private String model = "";

    /** Makes the metadata of a request that arrives now and is not traced. */
    public RequestContext() {
        this(System.nanoTime(), Optional.empty());
    }

    /**
     * @param begin when the request arrived, on the clock of {@link System#nanoTime}
     */
    RequestContext(long begin, Optional<OpenSpan> span) {
        this.begin = begin;
        this.span = span;
    }

    /** Returns the arrival time, on the clock of {@link System#nanoTime}. */
    public long begin() {
        return begin;
    }

    /** Returns the request's span; empty if it is not traced. */
    public Optional<OpenSpan> span() {
        return span;
    }

    /** Returns the progress of the request, which other threads update. */
    public RequestProgress progress() {
        return progress;
    }

    /** Begins a child span, if the request is traced. */
    public Optional<OpenSpan> child(String name) {
        return span.map(each -> each.child(name, System.nanoTime()));
    }

    /**
     * Records the model of the request. {@code id} is the server's id, never a name from a client.
     */
    public void servedBy(String id) {
        model = id;
        span.ifPresent(each -> each.put("gen_ai.response.model", id));
    }

    /** Returns the id of its model; {@code ""} if it has none. */
    public String model() {
        return model;
    }
}
