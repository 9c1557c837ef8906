package dev.varve.platform.http.json;

import java.io.IOException;

/** The client of a request closed its connection, or does not read its response. */
public final class ClientGoneException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Makes one for a client whose connection was found closed. */
    public ClientGoneException() {
        super("the client disconnected");
    }

    /** Makes one for a client whose disconnection caused a failure. */
    public ClientGoneException(Throwable cause) {
        super("the client disconnected", cause);
    }
}
