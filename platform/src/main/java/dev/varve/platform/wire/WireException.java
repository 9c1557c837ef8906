package dev.varve.platform.wire;

import dev.varve.api.VarveException;

import java.util.Objects;

/** A request that failed while the connection goes on. */
public final class WireException extends VarveException {
    private static final long serialVersionUID = 1L;

    private final WireCode code;
    private final boolean retryable;

    /**
     * A failure to report.
     *
     * @param retryable whether the same request may succeed later
     */
    public WireException(WireCode code, boolean retryable, String text) {
        super(code.kind(), text);
        this.code = Objects.requireNonNull(code);
        this.retryable = retryable;
    }

    public WireCode code() {
        return code;
    }

    public boolean retryable() {
        return retryable;
    }

    /**
     * What the caller hears of a failure in the handler: only messages that are made for people.
     */
    static WireException of(Throwable failure) {
        return switch (failure) {
            case WireException known -> known;
            case VarveException known ->
                    new WireException(
                            WireCode.of(known.kind()),
                            known.kind() == Kind.OVERLOADED,
                            known.getMessage());
            default ->
                    new WireException(
                            WireCode.INTERNAL,
                            false,
                            "internal error (" + failure.getClass().getSimpleName() + ")");
        };
    }
}
