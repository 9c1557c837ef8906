package dev.varve.platform.http.answer;

/** How a client wants its answer. */
public enum Delivery {
    /** As one object, when all is generated. */
    WHOLE,
    /** As a stream of chunks. */
    STREAM,
    /** As a stream whose last chunk has the usage. */
    STREAM_WITH_USAGE
}
