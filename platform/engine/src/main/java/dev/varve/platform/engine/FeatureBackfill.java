package dev.varve.platform.engine;

import dev.varve.api.speculation.HiddenStates;
import dev.varve.platform.prefix.TrailingFeatures;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * Passes the features that a speculator need not have yet: the stored ones of resumed prefixes, a
 * few at a time, and those of a prompt's latest chunk, which wait for the first token. All of a
 * request's are passed before newer ones of it.
 */
final class FeatureBackfill {
    /** Positions that are passed at once. */
    private static final int PIECE = 64;

    private final List<Integer> layers;
    private final BiPredicate<Request, HiddenStates> show;
    private final Map<Request, RemainingFeatures> backfills = new LinkedHashMap<>();

    /** Features of the latest chunk of each prompt that is being computed. */
    private final Map<Request, HiddenStates> deferred = new HashMap<>();

    /** The features of a request that are still to be passed. */
    private record RemainingFeatures(TrailingFeatures states, int next) {}

    /**
     * @param layers layers whose input the features are
     * @param show passes features to the speculator; returns whether more may follow
     */
    FeatureBackfill(List<Integer> layers, BiPredicate<Request, HiddenStates> show) {
        this.layers = layers;
        this.show = show;
    }

    void add(Request request, TrailingFeatures states) {
        backfills.put(request, new RemainingFeatures(states, states.begin()));
    }

    /**
     * Keeps the features of a prompt's chunk until the next call for the request. It passes those
     * of the chunk before, since a long prompt's would fill the heap.
     */
    void defer(Request request, HiddenStates states) {
        if (deferred.containsKey(request)) {
            showAll(request);
        }
        deferred.put(request, states);
    }

    void remove(Request request) {
        backfills.remove(request);
        deferred.remove(request);
    }

    /** Passes all remaining features of a request. */
    void showAll(Request request) {
        for (Optional<RemainingFeatures> rest = rest(request);
                rest.isPresent();
                rest = rest(request)) {
            showNext(request, rest.get());
        }
        Optional.ofNullable(deferred.remove(request)).ifPresent(each -> show.test(request, each));
    }

    private Optional<RemainingFeatures> rest(Request request) {
        return Optional.ofNullable(backfills.get(request));
    }

    /** Passes stored features until {@code nanos} have elapsed. */
    void showSome(long nanos) {
        long end = System.nanoTime() + nanos;
        while (!backfills.isEmpty() && System.nanoTime() < end) {
            Map.Entry<Request, RemainingFeatures> first = backfills.entrySet().iterator().next();
            showNext(first.getKey(), first.getValue());
        }
    }

    private void showNext(Request request, RemainingFeatures rest) {
        backfills.remove(request);
        int count = Math.min(PIECE, rest.states().end() - rest.next());
        Optional<List<float[]>> values = rest.states().read(rest.next(), count);
        if (values.isEmpty()) {
            // The features were evicted: the speculator starts after the gap.
            return;
        }
        List<HiddenStates.Layer> shown = new ArrayList<>();
        for (int i = 0; i < layers.size(); i++) {
            shown.add(new HiddenStates.Layer(layers.get(i), values.get().get(i), 0));
        }
        int next = rest.next() + count;
        if (show.test(request, new HiddenStates(request.arrival(), rest.next(), count, shown))
                && next < rest.states().end()) {
            backfills.put(request, new RemainingFeatures(rest.states(), next));
        }
    }
}
