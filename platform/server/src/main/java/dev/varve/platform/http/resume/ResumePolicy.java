package dev.varve.platform.http.resume;

import java.util.Locale;
import java.util.Optional;

/** Which streams are resumable. */
public enum ResumePolicy {
    /** Streams whose request enables it. */
    ON_REQUEST,
    /** All streams, except those whose request disables it. */
    ALWAYS;

    /** Request header that enables or disables resumption. */
    public static final String HEADER = "x-varve-resumable";

    /** Returns whether a stream is resumable, by the value of that header. */
    public boolean isResumable(Optional<String> header) {
        return switch (header.map(value -> value.strip().toLowerCase(Locale.ROOT)).orElse("")) {
            case "1", "true" -> true;
            case "0", "false" -> false;
            default -> this == ALWAYS;
        };
    }
}
