package dev.varve.platform.http.json;

import java.io.IOException;

/** The client of a request closed its connection, or does not read what it gets. */
public final class ClientGoneException extends IOException {
    private static final long serialVersionUID = 1L;

    /** A client that left, as a look at its connection shows. */
    public ClientGoneException() {
        super("the client is gone");
    }

    /** A client that left, as a failure shows. */
    public ClientGoneException(Throwable cause) {
        super("the client is gone", cause);
    }
}
