package dev.varve.platform.http.json;

/** Treatment of unknown fields. */
public enum UnknownFieldPolicy {
    /** Unknown fields are ignored: clients add fields over time. */
    LENIENT,
    /** Unknown fields are refused, so that a misspelt one is noticed. */
    STRICT
}
