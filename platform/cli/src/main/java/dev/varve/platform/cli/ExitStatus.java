package dev.varve.platform.cli;

import dev.varve.api.VarveException;

/** Exit statuses of all commands; docs/flags.md has the same table. */
enum ExitStatus {
    SUCCESS(0, "success"),
    FAILURE(
            1,
            "failure: a file, address, device or other resource is missing or unusable, memory does"
                    + " not suffice, the work failed, or a check found something"),
    USAGE(
            2,
            "wrong usage: an unknown flag, a value that a flag does not accept, or flags that"
                    + " contradict each other"),
    INTERRUPTED(130, "ended by Ctrl-C (SIGINT)"),
    TERMINATED(143, "ended by SIGTERM");

    private final int code;
    private final String meaning;

    ExitStatus(int code, String meaning) {
        this.code = code;
        this.meaning = meaning;
    }

    /** Status of the process. */
    int code() {
        return code;
    }

    /** Meaning, for documents. */
    String meaning() {
        return meaning;
    }

    /**
     * Status of a command that failed. Options are also checked where they are used: a message that
     * begins with an option means wrong usage, unless a resource that the option names is the
     * cause.
     *
     * @param message the problem's message with names of flags, or an empty one
     */
    static ExitStatus of(Exception problem, String message) {
        return switch (problem) {
            case UsageException _ -> USAGE;
            case VarveException e when e.kind() != VarveException.Kind.INVALID_REQUEST -> FAILURE;
            default -> message.startsWith("--") ? USAGE : FAILURE;
        };
    }
}
