package dev.varve.platform.wire;

/** Serves the requests of the other side. */
@FunctionalInterface
public interface Handler {
    /**
     * Starts a request. Requests of one channel are started one after the other, in the order in
     * which they were sent. The request ends when {@code call} does, then or later. An exception
     * ends it with an error; the channel stays open.
     */
    void handle(Message request, CallResponder call);
}
