package dev.varve.conformance;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.Speculator;
import dev.varve.api.speculation.TokenHistory;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Calls another speculator, records its draft tokens by position, and returns some right ones
 * instead.
 */
final class CorrectedSpeculator implements Speculator {
    private final Map<Integer, int[]> guesses = new TreeMap<>();
    private final Speculator block;
    private final int prompt;
    private final int[] answer;

    /**
     * @param prompt tokens before the answer
     * @param answer the right tokens, as far as they are known
     */
    CorrectedSpeculator(Speculator block, int prompt, int[] answer) {
        this.block = block;
        this.prompt = prompt;
        this.answer = answer;
    }

    /** Returns the draft tokens of the other speculator, by the number of known tokens. */
    Map<Integer, int[]> guesses() {
        return guesses;
    }

    @Override
    public List<Integer> captures() {
        return block.captures();
    }

    @Override
    public int mostTokens() {
        return block.mostTokens();
    }

    @Override
    public List<Draft> propose(List<DraftRequest> sequences) {
        DraftRequest request = sequences.getFirst();
        int size = request.tokens().size();
        int most = mostTokens();
        int[] made =
                block.propose(List.of(new DraftRequest(request.sequence(), request.tokens(), most)))
                        .getFirst()
                        .tokens();
        guesses.put(size, made.clone());
        int[] draft = new int[most];
        for (int i = 0; i < most; i++) {
            int at = size - prompt + i;
            int right = at < answer.length ? answer[at] : 0;
            // None, one, two and more right tokens, in turn.
            draft[i] = i < guesses.size() % (most + 1) ? right : (right + 1) % 256;
        }
        return List.of(Draft.of(draft));
    }

    @Override
    public void observe(HiddenStates states, TokenHistory tokens) {
        block.observe(states, tokens);
    }

    @Override
    public void forget(long sequence) {
        block.forget(sequence);
    }

    @Override
    public void close() {
        block.close();
    }
}
