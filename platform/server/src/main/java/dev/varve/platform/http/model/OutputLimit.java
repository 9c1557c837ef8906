package dev.varve.platform.http.model;

/** Meaning of a request's output limit where the context leaves room for fewer tokens. */
public enum OutputLimit {
    /** An upper bound: the response ends where the context does. */
    UPPER_BOUND,
    /** A demand: the request is a 400. */
    MUST_FIT
}
