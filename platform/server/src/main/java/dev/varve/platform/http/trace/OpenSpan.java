package dev.varve.platform.http.trace;

import dev.varve.api.telemetry.FinishedSpan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A span that may not have ended yet. Thread-safe: the request's thread and the engine's thread
 * write to the same tree. Times are those of {@link System#nanoTime}.
 */
public final class OpenSpan {
    private final String name;
    private final FinishedSpan.Kind kind;
    private final long begin;
    private final Map<String, Object> attributes = new LinkedHashMap<>();
    private final List<OpenSpan> children = new ArrayList<>();
    private OptionalLong end = OptionalLong.empty();
    private Optional<String> failure = Optional.empty();

    OpenSpan(String name, FinishedSpan.Kind kind, long begin) {
        this.name = name;
        this.kind = kind;
        this.begin = begin;
    }

    /** Begins a child span. */
    public synchronized OpenSpan child(String part, long at) {
        OpenSpan child = new OpenSpan(part, FinishedSpan.Kind.INTERNAL, at);
        children.add(child);
        return child;
    }

    /** Sets an attribute. */
    public synchronized OpenSpan put(String key, String value) {
        attributes.put(key, value);
        return this;
    }

    /** Sets an attribute. */
    public synchronized OpenSpan put(String key, long value) {
        attributes.put(key, value);
        return this;
    }

    /** Sets an attribute. */
    public synchronized OpenSpan put(String key, double value) {
        attributes.put(key, value);
        return this;
    }

    /** Sets an attribute. */
    public synchronized OpenSpan put(String key, List<String> values) {
        attributes.put(key, List.copyOf(values));
        return this;
    }

    /** Ends the span; only the first call counts. */
    public synchronized void end(long at) {
        if (end.isEmpty()) {
            end = OptionalLong.of(Math.max(begin, at));
        }
    }

    /** Ends the span with a failure in one word, unless it has ended. */
    public synchronized void fail(String reason, long at) {
        if (end.isEmpty()) {
            failure = Optional.of(reason);
            end(at);
        }
    }

    /**
     * Returns the finished span. Spans that have not ended are cut off and marked so.
     *
     * @param now end time of spans that have not ended
     * @param epochOffset offset to add to a time for nanoseconds since 1970
     */
    synchronized FinishedSpan finish(long now, long epochOffset) {
        if (end.isEmpty()) {
            attributes.put("varve.cut_off", true);
            end(now);
        }
        return new FinishedSpan(
                name,
                kind,
                begin + epochOffset,
                end.getAsLong() + epochOffset,
                attributes,
                failure,
                children.stream().map(child -> child.finish(now, epochOffset)).toList());
    }
}
