package dev.varve.platform.http.upstream;

import dev.varve.platform.http.json.ApiException;

import java.util.Locale;

/** The other server gave no reply, or only a part of one. */
final class UpstreamException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What went wrong. */
    enum Kind {
        /** There is no such server, or it does not listen. */
        UNREACHABLE,
        /** It was silent for too long. */
        TIMEOUT,
        /** What it sent is no reply, or ends in the middle. */
        BROKEN;

        /** The word in metrics. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Kind kind;

    UpstreamException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    UpstreamException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }

    /** What a client hears: 504 for silence, and 502 else. */
    ApiException forClients() {
        return kind == Kind.TIMEOUT
                ? ApiException.status(504, "upstream_timeout", getMessage())
                : ApiException.status(502, "upstream_error", getMessage());
    }
}
