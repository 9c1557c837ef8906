package dev.varve.platform.http.trace;

import java.util.Optional;

/**
 * What is known of a request beside its answer: when it came, which model it got, and its trace if
 * there is one. Belongs to the request's thread.
 */
public final class RequestMetadata {
    private final long begin;
    private final Optional<OpenSpan> span;
    private String model = "";

    /** Of a request that is not traced, and comes now. */
    public RequestMetadata() {
        this(System.nanoTime(), Optional.empty());
    }

    /**
     * @param begin when the request came, on the clock of {@link System#nanoTime}
     */
    RequestMetadata(long begin, Optional<OpenSpan> span) {
        this.begin = begin;
        this.span = span;
    }

    /** When it came, on the clock of {@link System#nanoTime}. */
    public long begin() {
        return begin;
    }

    /** The request as a span; empty if it is not traced. */
    public Optional<OpenSpan> span() {
        return span;
    }

    /** Begins a part of it, if it is traced. */
    public Optional<OpenSpan> child(String name) {
        return span.map(each -> each.child(name, System.nanoTime()));
    }

    /** It got a model. {@code id}: as the server calls it, never what a client wrote. */
    public void servedBy(String id) {
        model = id;
        span.ifPresent(each -> each.put("gen_ai.response.model", id));
    }

    /** Id of its model; {@code ""} for one that got none. */
    public String model() {
        return model;
    }
}
