package dev.varve.platform.wire;

import dev.varve.api.VarveException;

/**
 * Signals that the connection ended before the request was answered; it is unknown whether the
 * request was executed.
 */
public final class ChannelLostException extends VarveException {
    private static final long serialVersionUID = 1L;

    ChannelLostException(String reason) {
        super(Kind.UNAVAILABLE, reason);
    }
}
