package dev.varve.platform.engine;

import dev.varve.api.speculation.HiddenStates;
import dev.varve.platform.prefix.FeatureSpan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * Hidden states of positions that requests went on behind, on their way to whoever guesses: a few
 * at a time while others wait, and all of a request's before anything newer is shown of it.
 */
final class FeatureBackfill {
    /** Positions that are shown at once. */
    private static final int PIECE = 64;

    private final List<Integer> layers;
    private final BiPredicate<Request, HiddenStates> show;
    private final Map<Request, Rest> rests = new LinkedHashMap<>();

    /** What is still to be shown of a request. */
    private record Rest(FeatureSpan states, int next) {}

    /**
     * @param layers whose input the states are
     * @param show shows some; says whether others may follow
     */
    FeatureBackfill(List<Integer> layers, BiPredicate<Request, HiddenStates> show) {
        this.layers = layers;
        this.show = show;
    }

    void add(Request request, FeatureSpan states) {
        rests.put(request, new Rest(states, states.begin()));
    }

    void forget(Request request) {
        rests.remove(request);
    }

    /** Shows all that is left of a request. */
    void showAll(Request request) {
        for (Optional<Rest> rest = rest(request); rest.isPresent(); rest = rest(request)) {
            showNext(request, rest.get());
        }
    }

    private Optional<Rest> rest(Request request) {
        return Optional.ofNullable(rests.get(request));
    }

    /** Shows some for a while. */
    void showSome(long nanos) {
        long end = System.nanoTime() + nanos;
        while (!rests.isEmpty() && System.nanoTime() < end) {
            Map.Entry<Request, Rest> first = rests.entrySet().iterator().next();
            showNext(first.getKey(), first.getValue());
        }
    }

    private void showNext(Request request, Rest rest) {
        rests.remove(request);
        int count = Math.min(PIECE, rest.states().end() - rest.next());
        Optional<List<float[]>> values = rest.states().read(rest.next(), count);
        if (values.isEmpty()) {
            // They have given way: whoever guesses begins behind the gap.
            return;
        }
        List<HiddenStates.Layer> shown = new ArrayList<>();
        for (int i = 0; i < layers.size(); i++) {
            shown.add(new HiddenStates.Layer(layers.get(i), values.get().get(i), 0));
        }
        int next = rest.next() + count;
        if (show.test(request, new HiddenStates(request.arrival(), rest.next(), count, shown))
                && next < rest.states().end()) {
            rests.put(request, new Rest(rest.states(), next));
        }
    }
}
