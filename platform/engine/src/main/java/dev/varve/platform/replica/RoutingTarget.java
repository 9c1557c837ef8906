package dev.varve.platform.replica;

/** A replica as {@link ReplicaRouter} sees it: its work and its estimated caches. */
public interface RoutingTarget {
    /** Returns the estimated number of tokens that are still to be computed for its requests. */
    long owedTokens();

    /** Returns the estimate of its cached prefixes. */
    PrefixEstimate prefixEstimate();
}
