package dev.varve.bench.http.stream;

/** A server did not answer as it has to: a measurement that came to nothing. */
public class ServerFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A failure that the server told of, or that its answer shows. */
    public ServerFailure(String message) {
        super(message);
    }

    /** A failure with what it came from. */
    public ServerFailure(String message, Throwable cause) {
        super(message, cause);
    }

    /** Nobody listens, or the server says that it is not ready yet. */
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
