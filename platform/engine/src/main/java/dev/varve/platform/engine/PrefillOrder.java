package dev.varve.platform.engine;

import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/**
 * Order of requests in prefill. The request with the fewest tokens to compute comes first, since it
 * generates soonest. Every other time the oldest comes first, so that it does not starve. For one
 * thread at a time.
 *
 * @param <T> kind of request
 */
public final class PrefillOrder<T> {
    private final Comparator<T> shortest;
    private final Comparator<T> oldest;
    private boolean oldestFirst;

    /**
     * Creates an order that begins with the shortest.
     *
     * @param tokensToCompute number of tokens that a request has to compute
     * @param arrival number that is smaller for earlier requests, and unique
     */
    public PrefillOrder(ToIntFunction<T> tokensToCompute, ToLongFunction<T> arrival) {
        oldest = Comparator.comparingLong(arrival);
        shortest = Comparator.comparingInt(tokensToCompute).thenComparing(oldest);
    }

    /** Sorts requests in place; calls alternate between both orders. */
    public void sort(List<T> requests) {
        requests.sort(shortest);
        if (oldestFirst && requests.size() > 1) {
            T first = requests.stream().min(oldest).orElseThrow();
            requests.remove(first);
            requests.addFirst(first);
        }
        oldestFirst = !oldestFirst;
    }
}
