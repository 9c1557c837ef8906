package dev.varve.platform.http.access;

/** Purpose of a route, which decides access to it. */
public enum RoutePurpose {
    /** Liveness; needs no key. */
    LIVENESS,
    /** The web page, which contains no secrets; needs no key. */
    PAGE,
    /** Metrics; need no key if the operator allows it. */
    METRICS,
    /** Shows or changes data of all callers; only for the operator. */
    OPERATION,
    /** Shows totals and the caller's own data; for all callers and the operator. */
    MONITORING,
    /** The API itself. */
    SERVICE;

    /**
     * Returns whether the route is called often and must respond even if connections are at their
     * limit.
     */
    public boolean isProbe() {
        return this == LIVENESS || this == METRICS;
    }

    /** Returns whether requests to the route are not logged. */
    public boolean isUnlogged() {
        return isProbe() || this == PAGE;
    }

    /** Returns whether no key is needed. */
    public boolean isOpen() {
        return this == LIVENESS || this == PAGE;
    }
}
