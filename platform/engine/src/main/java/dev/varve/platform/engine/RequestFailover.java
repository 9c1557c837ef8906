package dev.varve.platform.engine;

import dev.varve.api.VarveException;

/**
 * Where requests of an engine go that cannot end there: other engines of the same model. Called on
 * the engine's thread; must not wait.
 */
public interface RequestFailover {
    /** There is none. */
    RequestFailover NONE =
            new RequestFailover() {
                @Override
                public boolean isOpen() {
                    return false;
                }

                @Override
                public boolean takes(TransferableRequest request, VarveException reason) {
                    return false;
                }
            };

    /** Whether it would take a request at this moment. */
    boolean isOpen();

    /**
     * Takes a request, which goes on elsewhere; the engine does nothing more for it.
     *
     * @param reason why it cannot end where it was
     * @return whether it was taken; not if there is nowhere to go
     */
    boolean takes(TransferableRequest request, VarveException reason);

    /** Whether another engine may do better; not where the request itself is at fault. */
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
