package dev.varve.platform.http.json;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.ContextOverflowException;
import dev.varve.platform.engine.EngineClosedException;
import dev.varve.platform.intake.IngressException;
import dev.varve.platform.shard.ShardLostException;

import java.util.Optional;
import java.util.OptionalInt;

/** An error response, with the fields of OpenAI's errors. */
public final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final String INVALID = "invalid_request_error";
    private static final int REQUEST_TIMEOUT = 408;

    /**
     * Status that other servers also use for cancelled calls; clients retry statuses from 500 on.
     */
    private static final int CLIENT_CLOSED_REQUEST = 499;

    private final int status;
    private final String type;
    private final String code;
    private final String param;
    private final int retryAfterSeconds;

    private ApiException(
            int status,
            String type,
            String code,
            String param,
            String message,
            int retryAfterSeconds) {
        super(message);
        this.status = status;
        this.type = type;
        this.code = code;
        this.param = param;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    /** Returns a 400 about a field; {@code param} is empty if it concerns the whole body. */
    public static ApiException invalid(String param, String message) {
        return new ApiException(400, INVALID, "", param, message, 0);
    }

    /** Returns an error with a status and OpenAI's type for it; {@code code} may be empty. */
    public static ApiException status(int status, String code, String message) {
        String type =
                switch (status) {
                    case 401 -> "authentication_error";
                    case 403 -> "permission_error";
                    default -> status >= 500 ? "server_error" : INVALID;
                };
        return new ApiException(status, type, code, "", message, 0);
    }

    /** Returns the 503 while the first model loads. */
    public static ApiException loading() {
        return new ApiException(503, "unavailable_error", "model_loading", "", "Loading model", 1);
    }

    /**
     * Returns the error for a model that cannot be loaded.
     *
     * @param isTemporary whether a retry may succeed soon
     */
    public static ApiException unloadable(String code, String message, boolean isTemporary) {
        return new ApiException(
                isTemporary ? 503 : 500, "server_error", code, "", message, isTemporary ? 5 : 0);
    }

    /** Returns the 500 for a fault of the server, whose details are in the log. */
    public static ApiException internal() {
        return status(500, "internal_error", "internal error; the server log has the details");
    }

    /** Returns the 503 of a server that shuts down. */
    public static ApiException draining() {
        return new ApiException(
                503, "server_error", "shutting_down", "", "the server is shutting down", 5);
    }

    /**
     * Returns the error for a request that was cancelled from the list of requests; clients must
     * not retry it.
     */
    public static ApiException cancelled() {
        return new ApiException(
                CLIENT_CLOSED_REQUEST,
                "request_cancelled",
                "request_cancelled",
                "",
                "a client or the operator cancelled the request (DELETE /requests/ID)",
                0);
    }

    /** Returns the error for a request that the ingress refused. */
    public static ApiException of(IngressException refusal) {
        return new ApiException(
                refusal.status(),
                refusal.isTemporary() ? "server_error" : INVALID,
                refusal.code(),
                "",
                refusal.getMessage(),
                refusal.isTemporary() ? 5 : 0);
    }

    /** Returns the error for a failure of the platform. */
    public static ApiException of(VarveException failure) {
        String message = failure.getMessage();
        if (failure instanceof ShardLostException) {
            return new ApiException(503, "server_error", "shard_missing", "", message, 5);
        }
        if (failure instanceof EngineClosedException) {
            return draining();
        }
        ApiException error = ofKind(failure.kind(), message);
        if (failure instanceof ContextOverflowException) {
            error.initCause(failure);
        }
        return error;
    }

    private static ApiException ofKind(VarveException.Kind kind, String message) {
        return switch (kind) {
            case CONTEXT_OVERFLOW ->
                    new ApiException(400, INVALID, "context_length_exceeded", "", message, 0);
            case INVALID_REQUEST -> new ApiException(400, INVALID, "", "", message, 0);
            case OVERLOADED ->
                    new ApiException(429, "rate_limit_error", "queue_full", "", message, 1);
            case UNAVAILABLE, CANCELLED ->
                    new ApiException(503, "server_error", "", "", message, 5);
            case UNSUPPORTED_MODEL, CORRUPT_FILE, UNREADABLE_FILE, OUT_OF_MEMORY, BACKEND_FAILED ->
                    new ApiException(
                            500,
                            "server_error",
                            kind.name().toLowerCase(java.util.Locale.ROOT),
                            "",
                            message,
                            0);
        };
    }

    /** Returns the HTTP status. */
    public int status() {
        return status;
    }

    /** Returns the type in OpenAI's form, such as {@code invalid_request_error}. */
    public String type() {
        return type;
    }

    /** Returns the code, if there is one, such as {@code model_not_found}. */
    public Optional<String> code() {
        return Optional.of(code).filter(text -> !text.isEmpty());
    }

    /** Returns the context overflow that caused the error, if any. */
    Optional<ContextOverflowException> overflow() {
        return getCause() instanceof ContextOverflowException overflow
                ? Optional.of(overflow)
                : Optional.empty();
    }

    /** Returns the field that the error concerns. */
    public Optional<String> param() {
        return Optional.of(param).filter(text -> !text.isEmpty());
    }

    /** Returns the delay before a retry, for temporary errors. */
    public OptionalInt retryAfterSeconds() {
        return retryAfterSeconds > 0 ? OptionalInt.of(retryAfterSeconds) : OptionalInt.empty();
    }

    /** Returns whether the same request would always fail again. */
    public boolean isFinal() {
        return status >= 400 && status < 500 && status != REQUEST_TIMEOUT && retryAfterSeconds == 0;
    }
}
