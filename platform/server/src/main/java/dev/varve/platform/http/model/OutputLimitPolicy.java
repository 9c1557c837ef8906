package dev.varve.platform.http.model;

/** Meaning of a request's output limit if the context has room for fewer tokens. */
public enum OutputLimitPolicy {
    /** An upper bound: the response ends at the end of the context. */
    UPPER_BOUND,
    /** A requirement: the request is refused with a 400. */
    MUST_FIT
}
