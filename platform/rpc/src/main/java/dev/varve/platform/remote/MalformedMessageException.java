package dev.varve.platform.remote;

import dev.varve.api.VarveException;

/** The other process said something that makes no sense here; nothing it says can be trusted. */
final class MalformedMessageException extends VarveException {
    private static final long serialVersionUID = 1L;

    MalformedMessageException(RuntimeException cause) {
        super(Kind.BACKEND_FAILED, "its answer makes no sense: " + cause.getMessage(), cause);
    }
}
