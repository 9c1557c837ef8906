package dev.varve.platform.wire;

import java.io.IOException;

/** Signals that the other side violated the protocol; the connection must end. */
final class FrameException extends IOException {
    private static final long serialVersionUID = 1L;

    FrameException(String reason) {
        super(reason);
    }
}
