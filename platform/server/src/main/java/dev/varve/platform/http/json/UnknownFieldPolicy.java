package dev.varve.platform.http.json;

/** What becomes of fields that nobody here knows. */
public enum UnknownFieldPolicy {
    /** They are left alone: clients send more from year to year. */
    LENIENT,
    /** They are refused, so that a misspelt one is noticed. */
    STRICT
}
