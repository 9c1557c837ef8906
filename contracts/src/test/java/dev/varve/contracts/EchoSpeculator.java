package dev.varve.contracts;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
import dev.varve.api.speculation.SpeculatorProvider;
import dev.varve.api.speculation.TokenHistory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The least that is a speculator and looks at everything: what followed the last token before
 * follows again, if the hidden states of a sequence were seen; how much of it, they decide.
 */
public final class EchoSpeculator implements Speculator {
    private static final int MOST = 6;

    private final SpeculationTarget target;

    /** Sums of what was seen, by sequence. */
    private final Map<Long, Double> seen = new HashMap<>();

    /** Finds it by name. */
    public static final class Provider implements SpeculatorProvider {
        /** The service loader needs this public constructor. */
        public Provider() {}

        @Override
        public String name() {
            return "echo";
        }

        @Override
        public Speculator open(SpeculationTarget target) {
            return new EchoSpeculator(target);
        }
    }

    EchoSpeculator(SpeculationTarget target) {
        this.target = target;
    }

    @Override
    public List<Integer> captures() {
        return List.of(0, target.shape().layerCount());
    }

    @Override
    public int mostTokens() {
        return MOST;
    }

    @Override
    public List<Draft> propose(List<DraftRequest> sequences) {
        List<Draft> drafts = new ArrayList<>();
        for (DraftRequest request : sequences) {
            double sum = seen.getOrDefault(request.sequence(), 0.0);
            int least = sum > 0 ? MOST : MOST - 1;
            drafts.add(echo(request.tokens(), Math.min(request.most(), least)));
        }
        return drafts;
    }

    private static Draft echo(TokenHistory tokens, int most) {
        int last = tokens.size() - 1;
        for (int i = last - 1; i >= 0; i--) {
            if (tokens.get(i) == tokens.get(last)) {
                int from = i + 1;
                int length = Math.min(most, last + 1 - from);
                return Draft.of(IntStream.range(from, from + length).map(tokens::get).toArray());
            }
        }
        return Draft.NONE;
    }

    @Override
    public void observe(HiddenStates states) {
        int width = target.shape().embeddingLength();
        double sum = seen.getOrDefault(states.sequence(), 0.0);
        for (HiddenStates.Layer layer : states.layers()) {
            for (int i = 0; i < states.tokens() * width; i++) {
                sum += layer.values()[layer.firstColumn() * width + i];
            }
        }
        seen.put(states.sequence(), sum);
    }

    @Override
    public void forget(long sequence) {
        seen.remove(sequence);
    }

    @Override
    public void close() {
        seen.clear();
    }
}
