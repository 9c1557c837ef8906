package dev.varve.platform.wire;

import java.io.IOException;

/** The other side broke the rules of the protocol; the connection cannot go on. */
final class FrameException extends IOException {
    private static final long serialVersionUID = 1L;

    FrameException(String reason) {
        super(reason);
    }
}
