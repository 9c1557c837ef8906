package dev.varve.bench.http.stream;

/** Thrown if a server did not respond correctly, so that a measurement failed. */
public class ServerFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A failure that the server reported, or that its answer shows. */
    public ServerFailure(String message) {
        super(message);
    }

    /** A failure with its cause. */
    public ServerFailure(String message, Throwable cause) {
        super(message, cause);
    }

    /** Thrown if nothing listens, or the server reports that it is not ready yet. */
    public static final class NotReady extends ServerFailure {
        private static final long serialVersionUID = 1L;

        NotReady(String message) {
            super(message);
        }

        NotReady(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
