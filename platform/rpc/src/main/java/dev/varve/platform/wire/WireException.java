package dev.varve.platform.wire;

import dev.varve.api.VarveException;

import java.util.Objects;

/** Signals a failed request; the connection stays open. */
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

    /** Creates a failure of a request that would fail again. */
    public WireException(WireErrorCode code, String text) {
        this(code, Retry.USELESS, text);
    }

    /** Creates a failure. */
    public WireException(WireErrorCode code, Retry retry, String text) {
        super(code.kind(), text);
        this.code = Objects.requireNonNull(code);
        this.retry = Objects.requireNonNull(retry);
    }

    /** Returns why the request failed. */
    public WireErrorCode code() {
        return code;
    }

    /** Returns whether the same request may succeed later. */
    public Retry retry() {
        return retry;
    }

    /**
     * Converts a failure of the handler for the caller; keeps only messages that are meant for
     * users.
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
