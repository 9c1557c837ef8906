package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;

/**
 * A family recorded a graph that cannot be right, or failed while it recorded one; of kind
 * UNSUPPORTED_MODEL, and made to be read, at load and behind a request.
 */
final class GraphBuildException extends VarveException {
    private static final long serialVersionUID = 1L;

    GraphBuildException(String message) {
        super(Kind.UNSUPPORTED_MODEL, message);
    }

    GraphBuildException(String message, Throwable cause) {
        super(Kind.UNSUPPORTED_MODEL, message, cause);
    }
}
