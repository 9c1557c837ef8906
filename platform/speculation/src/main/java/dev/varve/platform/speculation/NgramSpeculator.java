package dev.varve.platform.speculation;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.Speculator;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Drafts by repetition: if the last tokens of a text occurred before, in the prompt or in the
 * response, it proposes the tokens that followed them there. Longer occurrences give better drafts,
 * so drafts are graded by the length.
 */
final class NgramSpeculator implements Speculator {
    private final int mostTokens;
    private final Map<Long, NgramIndex> sequences = new HashMap<>();

    NgramSpeculator(int mostTokens) {
        this.mostTokens = mostTokens;
    }

    @Override
    public int mostTokens() {
        return mostTokens;
    }

    @Override
    public boolean acceptsImages() {
        return true;
    }

    @Override
    public List<Draft> propose(List<DraftRequest> asked) {
        return asked.stream().map(this::propose).toList();
    }

    private Draft propose(DraftRequest request) {
        NgramIndex index =
                sequences.computeIfAbsent(request.sequence(), sequence -> new NgramIndex());
        index.extend(request.tokens());
        NgramIndex.Match match = index.find(request.tokens());
        int most = Math.min(request.most(), mostTokens);
        int end = request.tokens().size();
        if (match.length() == 0) {
            return Draft.NONE;
        }
        int[] tokens = new int[most];
        for (int i = 0; i < most; i++) {
            // After the end of the text, continues with the draft tokens themselves.
            int from = match.next() + i;
            tokens[i] = from < end ? request.tokens().get(from) : tokens[from - end];
            if (tokens[i] < 0) {
                // An image followed: no text continues with its tokens.
                return i == 0
                        ? Draft.NONE
                        : new Draft(Arrays.copyOf(tokens, i), grade(match.length()));
            }
        }
        return new Draft(tokens, grade(match.length()));
    }

    /** Returns 0 for the shortest occurrences, plus one for each doubling of the length. */
    private static int grade(int length) {
        int doublings = 31 - Integer.numberOfLeadingZeros(length / NgramIndex.SHORTEST);
        return Math.min(doublings, Draft.MOST_GRADE);
    }

    @Override
    public void forget(long sequence) {
        sequences.remove(sequence);
    }

    @Override
    public void close() {
        sequences.clear();
    }
}
