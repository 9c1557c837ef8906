package dev.varve.platform.cli;

import java.util.logging.LogManager;

/**
 * Keeps the log's handlers while the process shuts down. The default manager removes them in a
 * shutdown hook, so that the lines of requests that end meanwhile would be lost.
 *
 * <p>Java makes the only instance, by the name in {@value #PROPERTY}.
 */
public final class ShutdownLogManager extends LogManager {
    /** System property with the name of the manager's class, read before the first message. */
    static final String PROPERTY = "java.util.logging.manager";

    private volatile boolean keepsHandlers;

    /** Makes a manager; called by Java. */
    public ShutdownLogManager() {}

    /** Ignores resets from now on. */
    void keepHandlers() {
        keepsHandlers = true;
    }

    @Override
    public void reset() {
        if (!keepsHandlers) {
            super.reset();
        }
    }
}
