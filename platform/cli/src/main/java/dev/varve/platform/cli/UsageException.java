package dev.varve.platform.cli;

/** Thrown if the command line is contradictory or malformed. */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}
