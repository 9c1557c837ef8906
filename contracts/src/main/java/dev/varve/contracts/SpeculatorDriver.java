package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
import dev.varve.api.speculation.SpeculatorProvider;
import dev.varve.api.speculation.TokenHistory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Calls a speculator as an engine does. Data that is valid only during a call is overwritten after
 * it, so that a speculator that keeps it fails.
 */
final class SpeculatorDriver implements AutoCloseable {
    /** Maximum number of tokens whose hidden states are passed at once. */
    private static final int CHUNK = 9;

    /** Columns of other sequences' tokens before those of a sequence. */
    private static final int OTHERS = 2;

    private final Speculator speculator;
    private final SpeculationTarget target;
    private final Random random = new Random(4711);
    private long sequences;

    /** A sequence that grows. */
    static final class Sequence {
        private final long number;
        private int[] tokens;

        /** Tokens whose hidden states were passed or skipped. */
        private int shown;

        private Sequence(long number, int[] tokens) {
            this.number = number;
            this.tokens = tokens;
        }

        long number() {
            return number;
        }

        int size() {
            return tokens.length;
        }

        void append(int... more) {
            int before = tokens.length;
            tokens = Arrays.copyOf(tokens, before + more.length);
            System.arraycopy(more, 0, tokens, before, more.length);
        }

        /** Skips the hidden states of all tokens before a position. */
        void skipTo(int position) {
            shown = position;
        }
    }

    /** The tokens of a sequence during one call. */
    private static final class CallHistory implements TokenHistory {
        private final int[] tokens;
        private volatile boolean over;

        CallHistory(int[] tokens) {
            this.tokens = tokens.clone();
        }

        @Override
        public int size() {
            requireCalled();
            return tokens.length;
        }

        @Override
        public int get(int position) {
            requireCalled();
            return tokens[Objects.checkIndex(position, tokens.length)];
        }

        private void requireCalled() {
            if (over) {
                throw new IllegalStateException("a history is read after the call it came with");
            }
        }
    }

    SpeculatorDriver(SpeculatorProvider provider, SpeculationTarget target) {
        this.target = target;
        speculator = provider.open(target);
    }

    Speculator speculator() {
        return speculator;
    }

    boolean isOfVocabulary(int token) {
        return token >= 0 && token < target.shape().vocabularySize();
    }

    /** Begins a sequence with a new number. */
    Sequence begin(int... tokens) {
        return new Sequence(sequences++, tokens);
    }

    /** Begins another text under a number that was forgotten. */
    static Sequence again(Sequence forgotten, int... tokens) {
        return new Sequence(forgotten.number(), tokens);
    }

    /** Generates tokens that repeat, with occasional others, including the highest id. */
    int[] text(int length) {
        int vocabulary = target.shape().vocabularySize();
        int[] phrase = random.ints(7, 0, vocabulary).toArray();
        phrase[3] = vocabulary - 1;
        return IntStream.range(0, length)
                .map(i -> i % 31 == 30 ? random.nextInt(vocabulary) : phrase[i % phrase.length])
                .toArray();
    }

    /** Requests a draft for one sequence. */
    Draft propose(Sequence sequence, int most) {
        return propose(List.of(sequence), most).getFirst();
    }

    /**
     * Passes the computed hidden states of some sequences, and requests drafts.
     *
     * @param most one for all of them, or one for each
     */
    List<Draft> propose(List<Sequence> sequences, int... most) {
        return ask(sequences, 0, most);
    }

    /** Does the same for one sequence, and requests a tree of up to {@code branched} tokens. */
    Draft proposeTree(Sequence sequence, int most, int branched) {
        return ask(List.of(sequence), branched, most).getFirst();
    }

    private List<Draft> ask(List<Sequence> sequences, int branched, int... most) {
        List<CallHistory> histories = new ArrayList<>();
        List<DraftRequest> asked = new ArrayList<>();
        for (int i = 0; i < sequences.size(); i++) {
            Sequence sequence = sequences.get(i);
            // The last token was sampled and is not computed yet.
            show(sequence, sequence.size() - 1);
            CallHistory history = new CallHistory(sequence.tokens);
            histories.add(history);
            asked.add(
                    new DraftRequest(sequence.number(), history, most[i % most.length], branched));
        }
        List<Draft> drafts = speculator.propose(List.copyOf(asked));
        histories.forEach(history -> history.over = true);
        return drafts;
    }

    /** Passes the hidden states up to a position that were not passed yet. */
    void show(Sequence sequence, int end) {
        while (!speculator.captures().isEmpty() && sequence.shown < end) {
            int tokens = Math.min(end - sequence.shown, 1 + random.nextInt(CHUNK));
            show(sequence, sequence.shown, tokens);
            sequence.shown += tokens;
        }
    }

    private void show(Sequence sequence, int firstPosition, int tokens) {
        List<HiddenStates.Layer> layers =
                speculator.captures().stream()
                        .map(layer -> new HiddenStates.Layer(layer, values(tokens), OTHERS))
                        .toList();
        List<float[]> before = layers.stream().map(layer -> layer.values().clone()).toList();
        CallHistory history = new CallHistory(sequence.tokens);
        speculator.observe(
                new HiddenStates(sequence.number(), firstPosition, tokens, layers), history);
        history.over = true;
        for (int i = 0; i < layers.size(); i++) {
            assertArrayEquals(
                    before.get(i), layers.get(i).values(), "hidden states are not to be modified");
            Arrays.fill(layers.get(i).values(), Float.NaN);
        }
    }

    private float[] values(int tokens) {
        float[] values = new float[(OTHERS + tokens + 1) * target.shape().embeddingLength()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    @Override
    public void close() {
        speculator.close();
    }
}
