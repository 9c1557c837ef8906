package dev.varve.platform.intake;

import dev.varve.platform.setting.Setting;

/** A request that is refused before anything reads what it says, with what its client hears. */
public final class IngressException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;

    /**
     * Refuses a request.
     *
     * @param status HTTP status
     * @param code for programs; may be empty
     * @param message for people, with nothing of the request in it
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
                "the request body came too slowly: " + bytes + " bytes when its time was over");
    }

    static IngressException unframed() {
        return new IngressException(400, "", "the request body is not framed as its headers say");
    }

    static IngressException busy(String what) {
        return new IngressException(
                503, "server_busy", "the server is busy: " + what + "; try again later");
    }

    /** HTTP status of the answer. */
    public int status() {
        return status;
    }

    /** What programs look for in the answer; may be empty. */
    public String code() {
        return code;
    }

    /** Whether the request may succeed later as it is. */
    public boolean isPassing() {
        return status == 503;
    }
}
