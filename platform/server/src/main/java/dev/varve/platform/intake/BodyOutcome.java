package dev.varve.platform.intake;

import org.eclipse.jetty.http.HttpException;

/** How reading the body of a request ended. */
public sealed interface BodyOutcome {
    /** All of it is here. */
    record Complete(RequestBody body) implements BodyOutcome {}

    /** It is not read further; the client hears why. */
    record Refused(IngressException reason) implements BodyOutcome {}

    /** The client went away, so there is nobody to answer. */
    record Gone(Throwable failure) implements BodyOutcome {}

    /** What a failure of the connection means. */
    static BodyOutcome of(Throwable failure) {
        return failure instanceof HttpException
                ? new Refused(IngressException.unframed())
                : new Gone(failure);
    }
}
