package dev.varve.platform.intake;

import dev.varve.platform.setting.Setting;

/**
 * Signals a request that is rejected before its content is parsed, with the response for its
 * client.
 */
public final class IngressException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;

    /**
     * Creates a rejection.
     *
     * @param status HTTP status
     * @param code error code for programs; may be empty
     * @param message error message for users, without content of the request
     */
    public IngressException(int status, String code, String message) {
        super(message, null, false, false);
        this.status = status;
        this.code = code;
    }

    static IngressException tooLarge(int limit) {
        return new IngressException(
                413,
                "request_too_large",
                "the request body exceeds " + limit + " bytes (" + Setting.MAX_BODY + ")");
    }

    static IngressException tooSlow(long bytes) {
        return new IngressException(
                408,
                "request_timeout",
                "the client sent the request body too slowly: " + bytes + " bytes at the timeout");
    }

    static IngressException unframed() {
        return new IngressException(
                400, "", "the framing of the request body does not match its headers");
    }

    static IngressException busy(String what) {
        return new IngressException(
                503, "server_busy", "the server is busy: " + what + "; try again later");
    }

    /** Returns the HTTP status of the response. */
    public int status() {
        return status;
    }

    /** Returns the error code in the response; may be empty. */
    public String code() {
        return code;
    }

    /** Whether the same request may succeed later. */
    public boolean isTemporary() {
        return status == 503;
    }
}
