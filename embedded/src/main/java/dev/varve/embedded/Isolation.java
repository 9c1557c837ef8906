package dev.varve.embedded;

/**
 * The processes that run the native code of the devices.
 *
 * @since 0.1.0
 */
public enum Isolation {
    /** In this process: fastest, and a crash of native code ends the program. */
    NONE,
    /**
     * In child processes, one for each device. If one is lost, it is started again, and the
     * responses that it computed continue as if nothing had happened. If it cannot be started
     * again, they fail with an exception.
     */
    PROCESS
}
