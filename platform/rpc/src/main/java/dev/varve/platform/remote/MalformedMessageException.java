package dev.varve.platform.remote;

import dev.varve.api.VarveException;

/**
 * Signals a malformed message from the other process; no message of that process is trusted any
 * longer.
 */
final class MalformedMessageException extends VarveException {
    private static final long serialVersionUID = 1L;

    MalformedMessageException(RuntimeException cause) {
        super(Kind.BACKEND_FAILED, "its response is malformed: " + cause.getMessage(), cause);
    }
}
