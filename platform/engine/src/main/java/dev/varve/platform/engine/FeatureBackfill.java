package dev.varve.platform.engine;

import dev.varve.api.speculation.HiddenStates;
import dev.varve.platform.prefix.TrailingFeatures;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * Passes the stored features of resumed prefixes to the speculator: a few at a time while other
 * requests wait, and all of a request's before newer ones of it.
 */
final class FeatureBackfill {
    /** Positions that are passed at once. */
    private static final int PIECE = 64;

    private final List<Integer> layers;
    private final BiPredicate<Request, HiddenStates> show;
    private final Map<Request, RemainingFeatures> backfills = new LinkedHashMap<>();

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

    void remove(Request request) {
        backfills.remove(request);
    }

    /** Passes all remaining features of a request. */
    void showAll(Request request) {
        for (Optional<RemainingFeatures> rest = rest(request);
                rest.isPresent();
                rest = rest(request)) {
            showNext(request, rest.get());
        }
    }

    private Optional<RemainingFeatures> rest(Request request) {
        return Optional.ofNullable(backfills.get(request));
    }

    /** Passes features until {@code nanos} have elapsed. */
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
