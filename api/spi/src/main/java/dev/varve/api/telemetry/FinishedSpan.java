package dev.varve.api.telemetry;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A timed part of a request. It holds no text of a prompt or a response.
 *
 * @param name name of the operation, such as {@code prefill}; one of few values
 * @param kind side of a call
 * @param beginNanos nanoseconds since 1970, UTC
 * @param endNanos likewise, not before the begin
 * @param attributes facts about it: each a String, Long, Double, Boolean or a list of Strings
 * @param failure why it failed, in a word; empty if it did not
 * @param children parts of it, in the order in which they began
 */
public record FinishedSpan(
        String name,
        Kind kind,
        long beginNanos,
        long endNanos,
        Map<String, Object> attributes,
        Optional<String> failure,
        List<FinishedSpan> children) {
    /** Side of a call that a span describes. */
    public enum Kind {
        /** Serves a client's request. */
        SERVER,
        /** Work inside the server. */
        INTERNAL
    }

    /** Copies attributes and children. */
    public FinishedSpan {
        Objects.requireNonNull(name);
        Objects.requireNonNull(kind);
        Objects.requireNonNull(failure);
        if (endNanos < beginNanos) {
            throw new IllegalArgumentException("span " + name + " ends before it begins");
        }
        attributes = Map.copyOf(attributes);
        attributes.forEach(FinishedSpan::requireKnownType);
        children = List.copyOf(children);
    }

    private static void requireKnownType(String key, Object value) {
        boolean known =
                value instanceof String
                        || value instanceof Long
                        || value instanceof Double
                        || value instanceof Boolean
                        || value instanceof List<?> list
                                && list.stream().allMatch(String.class::isInstance);
        if (!known) {
            throw new IllegalArgumentException(
                    "attribute " + key + ": unsupported type " + value.getClass().getName());
        }
    }
}
