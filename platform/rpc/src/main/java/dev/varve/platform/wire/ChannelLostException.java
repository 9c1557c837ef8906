package dev.varve.platform.wire;

import dev.varve.api.VarveException;

/** The connection ended before the request was answered; whether it was executed is not known. */
public final class ChannelLostException extends VarveException {
    private static final long serialVersionUID = 1L;

    ChannelLostException(String reason) {
        super(Kind.UNAVAILABLE, reason);
    }
}
