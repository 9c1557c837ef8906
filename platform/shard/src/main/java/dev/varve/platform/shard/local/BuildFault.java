package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;

/**
 * A family recorded a graph that cannot be right, or failed while it recorded one; of kind
 * UNSUPPORTED_MODEL, and made to be read, at load and behind a request.
 */
final class BuildFault extends VarveException {
    private static final long serialVersionUID = 1L;

    BuildFault(String message) {
        super(Kind.UNSUPPORTED_MODEL, message);
    }

    BuildFault(String message, Throwable cause) {
        super(Kind.UNSUPPORTED_MODEL, message, cause);
    }
}
