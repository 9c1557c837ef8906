package dev.varve.platform.http.resume;

import java.util.Locale;
import java.util.Optional;

/** Which streams are kept for clients that come back. */
public enum ResumePolicy {
    /** Those whose request asks for it. */
    ON_REQUEST,
    /** All whose request does not ask for the contrary. */
    ALWAYS;

    /** Header by which a request asks. */
    public static final String HEADER = "x-varve-resumable";

    /** Whether a stream is kept, by the value of that header. */
    public boolean keeps(Optional<String> header) {
        return switch (header.map(value -> value.strip().toLowerCase(Locale.ROOT)).orElse("")) {
            case "1", "true" -> true;
            case "0", "false" -> false;
            default -> this == ALWAYS;
        };
    }
}
