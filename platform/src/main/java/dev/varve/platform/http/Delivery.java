package dev.varve.platform.http;

/** How a client wants its answer. */
enum Delivery {
    /** As one object, when all is generated. */
    WHOLE,
    /** As a stream of chunks. */
    STREAM,
    /** As a stream whose last chunk has the usage. */
    STREAM_WITH_USAGE
}
