package dev.varve.api.telemetry;

import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The span of a client that a request belongs to.
 *
 * @param traceId 32 hexadecimal digits, lower case, not all 0
 * @param spanId 16 hexadecimal digits, lower case, not all 0
 * @param sampled whether the client records this trace
 * @param state value of the header {@code tracestate}; {@code ""} without one
 * @see <a href="https://www.w3.org/TR/trace-context/">W3C Trace Context</a>
 */
public record TraceParent(String traceId, String spanId, boolean sampled, String state) {
    private static final Pattern HEADER =
            Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");
    private static final Pattern ZEROS = Pattern.compile("0+");
    private static final Pattern TRACE_ID = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern SPAN_ID = Pattern.compile("[0-9a-f]{16}");
    private static final int SAMPLED = 1;
    private static final int HEX = 16;

    /** Checks both ids. */
    public TraceParent {
        requireId("trace id", traceId, TRACE_ID);
        requireId("span id", spanId, SPAN_ID);
        Objects.requireNonNull(state);
    }

    private static void requireId(String what, String id, Pattern form) {
        if (!form.matcher(id).matches() || ZEROS.matcher(id).matches()) {
            throw new IllegalArgumentException("invalid " + what + ": " + id);
        }
    }

    /**
     * Parses the header {@code traceparent}. Later versions of the format may append fields.
     *
     * @param header its value
     * @param state value of {@code tracestate}, or {@code ""}
     * @return empty for a header that must be ignored
     */
    public static Optional<TraceParent> parse(String header, String state) {
        Matcher parts = HEADER.matcher(header.strip());
        if (!parts.matches()
                || parts.group(1).equals("ff")
                || parts.group(1).equals("00") && parts.group(5) != null
                || ZEROS.matcher(parts.group(2)).matches()
                || ZEROS.matcher(parts.group(3)).matches()) {
            return Optional.empty();
        }
        boolean sampled = (Integer.parseInt(parts.group(4), HEX) & SAMPLED) != 0;
        return Optional.of(new TraceParent(parts.group(2), parts.group(3), sampled, state));
    }
}
