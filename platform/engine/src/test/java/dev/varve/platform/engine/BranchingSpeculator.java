package dev.varve.platform.engine;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.Speculator;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Proposes trees around known texts: they contain the correct tokens, on the likeliest path or
 * beside it.
 */
public final class BranchingSpeculator implements Speculator {
    private final ScriptedSpeculator right;
    private final int vocabulary;
    private final Random random;

    /**
     * @param texts prompts with their responses; none is a prefix of another one
     * @param most most consecutive correct tokens
     */
    public BranchingSpeculator(
            List<int[]> texts, int most, int vocabulary, List<Integer> captures, long seed) {
        right = new ScriptedSpeculator(texts, most, depth -> 0, vocabulary, captures);
        this.vocabulary = vocabulary;
        random = new Random(seed);
    }

    @Override
    public List<Integer> captures() {
        return right.captures();
    }

    @Override
    public int mostTokens() {
        return right.mostTokens();
    }

    @Override
    public synchronized List<Draft> propose(List<DraftRequest> sequences) {
        List<Draft> drafts = right.propose(sequences);
        List<Draft> trees = new ArrayList<>();
        for (int i = 0; i < drafts.size(); i++) {
            int branched = sequences.get(i).branched();
            Draft draft = drafts.get(i);
            trees.add(branched == 0 || draft == Draft.NONE ? draft : tree(draft, branched));
        }
        return trees;
    }

    /** Returns a tree with a path that diverges from the correct one, and further paths. */
    private Draft tree(Draft draft, int count) {
        int[] text = draft.tokens();
        int[] tokens = new int[count];
        int[] parents = new int[count];
        int[] depths = new int[count];
        int[] onText = new int[count];
        int leaves = random.nextInt(text.length + 1);
        for (int i = 0; i < count; i++) {
            int parent = i < text.length ? i - 1 : random.nextInt(i + 1) - 1;
            int depth = parent < 0 ? 0 : depths[parent] + 1;
            if (depth >= text.length) {
                parent = -1;
                depth = 0;
            }
            boolean follows = parent < 0 || onText[parent] == 1;
            boolean known = false;
            for (int other = 0; other < i; other++) {
                known |= parents[other] == parent && onText[other] == 1;
            }
            boolean goesOn = follows && !known && (i < leaves || i >= text.length);
            parents[i] = parent;
            depths[i] = depth;
            onText[i] = goesOn ? 1 : 0;
            tokens[i] = goesOn ? text[depth] : (text[depth] + 1 + i) % vocabulary;
        }
        return new Draft(tokens, parents, draft.grade());
    }

    @Override
    public void observe(HiddenStates states) {
        right.observe(states);
    }

    @Override
    public void forget(long sequence) {
        right.forget(sequence);
    }

    @Override
    public void close() {
        right.close();
    }
}
