package dev.varve.platform.hub;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** Thrown if a server asks to try again later. */
final class TransientFailure extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient Optional<String> retryAfter;

    /**
     * @param retryAfter the header: seconds, or a date
     */
    TransientFailure(String message, Optional<String> retryAfter) {
        super(message);
        this.retryAfter = retryAfter;
    }

    /** Time that the server asks for; empty if the header is missing or malformed. */
    Optional<Duration> delay(Instant now) {
        return retryAfter.map(String::strip).flatMap(text -> parse(text, now));
    }

    private static Optional<Duration> parse(String text, Instant now) {
        if (text.matches("\\d{1,9}")) {
            return Optional.of(Duration.ofSeconds(Long.parseLong(text)));
        }
        try {
            Instant then =
                    ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
            return Optional.of(Duration.between(now, then)).filter(wait -> !wait.isNegative());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
