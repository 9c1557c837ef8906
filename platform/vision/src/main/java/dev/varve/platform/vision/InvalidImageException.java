package dev.varve.platform.vision;

import dev.varve.api.VarveException;

/** Reports an image that cannot be used; the message names the reason and the values found. */
public final class InvalidImageException extends VarveException {
    private static final long serialVersionUID = 1L;

    /** Creates an error without a cause. */
    public InvalidImageException(String message) {
        super(Kind.INVALID_REQUEST, message);
    }

    /** Creates an error with a cause. */
    public InvalidImageException(String message, Throwable cause) {
        super(Kind.INVALID_REQUEST, message, cause);
    }
}
