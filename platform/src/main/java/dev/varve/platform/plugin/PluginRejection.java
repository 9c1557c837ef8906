package dev.varve.platform.plugin;

/** Why an entry of the plugins folder cannot be used; never leaves this package. */
final class PluginRejection extends Exception {
    private static final long serialVersionUID = 1L;

    PluginRejection(String reason) {
        super(reason);
    }

    PluginRejection(String reason, Throwable cause) {
        super(reason, cause);
    }

    /** The message of the deepest cause that has one, without line breaks. */
    static String reasonOf(Throwable problem) {
        String reason = problem.toString();
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            if (cause.getMessage() != null && !cause.getMessage().isBlank()) {
                reason = cause instanceof java.lang.module.FindException || cause instanceof PluginRejection
                        ? cause.getMessage()
                        : cause.getClass().getSimpleName() + ": " + cause.getMessage();
            }
        }
        return reason.strip().replaceAll("\\s+", " ");
    }
}
