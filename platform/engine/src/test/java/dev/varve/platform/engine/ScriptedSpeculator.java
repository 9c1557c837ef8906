package dev.varve.platform.engine;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.Speculator;
import dev.varve.api.speculation.TokenHistory;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;

/**
 * Proposes draft tokens along known texts, with errors that a test selects. Checks its callers:
 * only known sequences, hidden states in order.
 */
public final class ScriptedSpeculator implements Speculator {
    /** Elements of a plain model's hidden state; states of other widths are ignored. */
    static final int WIDTH = 8;

    private final List<int[]> texts;
    private final int most;

    /** Offset that is added to the correct token, by index of the draft token in its draft. */
    private final IntUnaryOperator error;

    private final int vocabulary;
    private final List<Integer> captures;
    private final AtomicInteger proposals = new AtomicInteger();
    private final Map<Long, TreeMap<Integer, List<Float>>> seen = new ConcurrentHashMap<>();
    private final List<TreeMap<Integer, List<Float>>> forgotten = new ArrayList<>();
    private boolean closed;

    /**
     * @param texts prompts with their responses; none is a prefix of another one
     * @param error offset by depth; 0 for a correct draft token
     */
    public ScriptedSpeculator(
            List<int[]> texts,
            int most,
            IntUnaryOperator error,
            int vocabulary,
            List<Integer> captures) {
        this.texts = texts;
        this.most = most;
        this.error = error;
        this.vocabulary = vocabulary;
        this.captures = captures;
    }

    /** Returns how many drafts of a sequence were requested. */
    public int proposals() {
        return proposals.get();
    }

    boolean isClosed() {
        return closed;
    }

    /** Returns the features of all sequences that ended or were lost, by position. */
    synchronized List<TreeMap<Integer, List<Float>>> seen() {
        return List.copyOf(forgotten);
    }

    @Override
    public List<Integer> captures() {
        return captures;
    }

    @Override
    public int mostTokens() {
        return most;
    }

    @Override
    public List<Draft> propose(List<DraftRequest> asked) {
        Set<Long> sequences = new HashSet<>();
        List<Draft> drafts = new ArrayList<>();
        for (DraftRequest request : asked) {
            if (!sequences.add(request.sequence())) {
                throw new IllegalArgumentException("asked twice for " + request.sequence());
            }
            proposals.incrementAndGet();
            drafts.add(draft(request));
        }
        return drafts;
    }

    private Draft draft(DraftRequest request) {
        int begin = request.tokens().size();
        for (int[] text : texts) {
            if (begin < text.length && beginsWith(text, request.tokens())) {
                int[] draftTokens =
                        new int[Math.min(Math.min(most, request.most()), text.length - begin)];
                for (int i = 0; i < draftTokens.length; i++) {
                    draftTokens[i] =
                            Math.floorMod(text[begin + i] + error.applyAsInt(i), vocabulary);
                }
                return Draft.of(draftTokens);
            }
        }
        return Draft.NONE;
    }

    private static boolean beginsWith(int[] text, TokenHistory tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            if (text[i] != tokens.get(i)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void observe(HiddenStates states) {
        TreeMap<Integer, List<Float>> own =
                seen.computeIfAbsent(states.sequence(), key -> new TreeMap<>());
        int begin = own.isEmpty() ? states.firstPosition() : own.lastKey() + 1;
        if (states.firstPosition() < begin) {
            throw new IllegalArgumentException(states + " behind " + begin);
        }
        for (int i = 0; i < states.tokens(); i++) {
            List<Float> values = new ArrayList<>();
            for (HiddenStates.Layer layer : states.layers()) {
                int width = WIDTH;
                for (int element = 0; element < width; element++) {
                    values.add(layer.values()[(layer.firstColumn() + i) * width + element]);
                }
            }
            own.put(states.firstPosition() + i, values);
        }
    }

    @Override
    public synchronized void forget(long sequence) {
        TreeMap<Integer, List<Float>> own = seen.remove(sequence);
        if (own != null) {
            forgotten.add(own);
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
