package dev.varve.fleet;

/** How a request gets its replica. */
public enum RoutingPolicy {
    /** Any replica, each equally often. */
    RANDOM,
    /** The replica with the fewest tokens to compute. */
    LEAST_LOADED,
    /** A replica by the hash of the session, as routers with a cookie or a hashed header do. */
    SESSION,
    /** The engine's router with its own estimate of all caches. */
    PREFIX,
    /** The engine's router with the caches as their events report them, after a delay. */
    EVENTS
}
