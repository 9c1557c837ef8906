package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;

/**
 * Reports that a family recorded an invalid graph, or failed while it recorded one; of kind
 * UNSUPPORTED_MODEL. Its message is for operators at load, and for clients after a request.
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
