package dev.varve.platform.intake;

import org.eclipse.jetty.http.HttpException;

/** How reading the body of a request ended. */
public sealed interface BodyOutcome {
    /** The whole body was received. */
    record Complete(RequestBody body) implements BodyOutcome {}

    /** Reading stopped; the client receives the reason. */
    record Refused(IngressException reason) implements BodyOutcome {}

    /** The client disconnected, so no response is possible. */
    record Disconnected(Throwable failure) implements BodyOutcome {}

    /** Converts a failure of the connection. */
    static BodyOutcome of(Throwable failure) {
        return failure instanceof HttpException
                ? new Refused(IngressException.unframed())
                : new Disconnected(failure);
    }
}
