package dev.varve.platform.http.answer;

/** How a client wants its answer. */
public enum ResponseMode {
    /** As one object, when all is generated. */
    WHOLE,
    /** As a stream of events. */
    STREAM,
    /** As a stream that tells the usage at its end also where that is left to the client. */
    STREAM_WITH_USAGE
}
