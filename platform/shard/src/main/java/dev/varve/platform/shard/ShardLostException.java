package dev.varve.platform.shard;

import dev.varve.api.VarveException;

/**
 * A shard and everything that it held of the running sequences is gone; they can be computed anew
 * once {@link Shard#recover} has succeeded.
 */
public final class ShardLostException extends VarveException {
    private static final long serialVersionUID = 1L;

    /** A loss that says why. */
    public ShardLostException(String message) {
        super(Kind.UNAVAILABLE, message);
    }

    /** A loss with what it came from. */
    public ShardLostException(String message, Throwable cause) {
        super(Kind.UNAVAILABLE, message, cause);
    }
}
