package dev.varve.platform.shard;

import dev.varve.api.VarveException;

/**
 * Reports that a shard was lost with the state of all running sequences; they can be computed again
 * after {@link Shard#recover} has succeeded.
 */
public final class ShardLostException extends VarveException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with its reason. */
    public ShardLostException(String message) {
        super(Kind.UNAVAILABLE, message);
    }

    /** Creates the exception with its reason and cause. */
    public ShardLostException(String message, Throwable cause) {
        super(Kind.UNAVAILABLE, message, cause);
    }
}
