package dev.varve.platform.http.upstream;

import dev.varve.platform.http.json.ApiException;

import java.util.Locale;

/** The upstream server sent no reply, or only a part of one. */
final class UpstreamException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Kind of failure. */
    enum Kind {
        /** The server cannot be reached. */
        UNREACHABLE,
        /** The server was silent for too long. */
        TIMEOUT,
        /** The reply is malformed or truncated. */
        BROKEN;

        /** Returns the label in metrics. */
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

    /** Returns the error for clients: 504 for a timeout, else 502. */
    ApiException forClients() {
        return kind == Kind.TIMEOUT
                ? ApiException.status(504, "upstream_timeout", getMessage())
                : ApiException.status(502, "upstream_error", getMessage());
    }
}
