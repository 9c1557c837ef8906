package dev.varve.platform.cli;

/** The command line asks for something contradictory or malformed. */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}
