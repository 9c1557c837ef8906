package dev.varve.platform.wire;

import dev.varve.api.VarveException;

import java.util.Objects;

/** A request that failed while the connection goes on. */
public final class WireException extends VarveException {
    private static final long serialVersionUID = 1L;

    /** Whether the same request may succeed later. */
    public enum Retry {
        /** It will fail again. */
        USELESS,
        /** It may succeed once something else has changed. */
        WORTHWHILE
    }

    private final WireErrorCode code;
    private final Retry retry;

    /** A failure to report of a request that would fail again. */
    public WireException(WireErrorCode code, String text) {
        this(code, Retry.USELESS, text);
    }

    /** A failure to report. */
    public WireException(WireErrorCode code, Retry retry, String text) {
        super(code.kind(), text);
        this.code = Objects.requireNonNull(code);
        this.retry = Objects.requireNonNull(retry);
    }

    /** Why the request failed. */
    public WireErrorCode code() {
        return code;
    }

    /** Whether the same request may succeed later. */
    public Retry retry() {
        return retry;
    }

    /**
     * What the caller hears of a failure in the handler: only messages that are made for people.
     */
    static WireException of(Throwable failure) {
        return switch (failure) {
            case WireException known -> known;
            case VarveException known ->
                    new WireException(
                            WireErrorCode.of(known.kind()),
                            known.kind() == Kind.OVERLOADED ? Retry.WORTHWHILE : Retry.USELESS,
                            known.getMessage());
            default ->
                    new WireException(
                            WireErrorCode.INTERNAL,
                            "internal error (" + failure.getClass().getSimpleName() + ")");
        };
    }
}
