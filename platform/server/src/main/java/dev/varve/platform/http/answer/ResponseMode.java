package dev.varve.platform.http.answer;

/** How a response is delivered. */
public enum ResponseMode {
    /** As one object, after generation ends. */
    WHOLE,
    /** As a stream of events. */
    STREAM,
    /** As a stream that ends with the usage, in dialects where the usage is optional. */
    STREAM_WITH_USAGE
}
