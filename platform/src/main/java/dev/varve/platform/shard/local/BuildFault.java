package dev.varve.platform.shard.local;

/** A family recorded a graph that cannot be right, or failed while it recorded one. */
final class BuildFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BuildFault(String message) {
        super(message);
    }

    BuildFault(String message, Throwable cause) {
        super(message, cause);
    }
}
