package dev.varve.platform.engine;

import dev.varve.api.VarveException;

/**
 * Moves requests that an engine cannot complete to other engines of the same model. Called on the
 * engine's thread; must not block.
 */
public interface RequestFailover {
    /** A failover without other engines. */
    RequestFailover NONE =
            new RequestFailover() {
                @Override
                public boolean isOpen() {
                    return false;
                }

                @Override
                public boolean accept(TransferableRequest request, VarveException reason) {
                    return false;
                }
            };

    /** Returns whether another engine accepts requests at the moment. */
    boolean isOpen();

    /**
     * Moves a request to another engine; the calling engine does nothing more for it.
     *
     * @param reason why the calling engine cannot complete it
     * @return whether another engine accepted it
     */
    boolean accept(TransferableRequest request, VarveException reason);

    /** Returns whether another engine may succeed; false if the request itself is the cause. */
    static boolean helps(VarveException reason) {
        return switch (reason.kind()) {
            case BACKEND_FAILED, UNAVAILABLE, OUT_OF_MEMORY -> true;
            case INVALID_REQUEST,
                    CONTEXT_OVERFLOW,
                    UNSUPPORTED_MODEL,
                    CORRUPT_FILE,
                    UNREADABLE_FILE,
                    OVERLOADED,
                    CANCELLED ->
                    false;
        };
    }
}
