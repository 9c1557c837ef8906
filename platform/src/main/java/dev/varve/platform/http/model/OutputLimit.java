package dev.varve.platform.http.model;

/** What the largest number of output tokens of a request means where the context leaves fewer. */
public enum OutputLimit {
    /** An upper bound: the response ends where the context does. */
    UPPER_BOUND,
    /** A demand: the request is a 400. */
    MUST_FIT
}
