package dev.varve.platform.compression.selection;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Texts for tests, in which no token stands twice unless somebody puts it there. */
final class Texts {
    private final int[] ids;
    private final float[] scores;

    private Texts(int[] ids) {
        this.ids = ids;
        scores = new float[ids.length];
        Arrays.fill(scores, 0.1f);
    }

    static Texts ofDistinct(int tokens) {
        return new Texts(IntStream.range(0, tokens).map(i -> 100_000 + i).toArray());
    }

    /** Writes tokens over what stands at a position. */
    Texts put(int at, int... tokens) {
        System.arraycopy(tokens, 0, ids, at, tokens.length);
        return this;
    }

    /** Scores of some tokens; the others have a tenth. */
    Texts score(int begin, int end, float score) {
        Arrays.fill(scores, begin, end, score);
        return this;
    }

    /** Returns how many tokens are kept for a reason. */
    static int kept(Selection selection, KeepReason reason) {
        return selection.kept().stream()
                .filter(each -> each.reason() == reason)
                .mapToInt(each -> each.tokens().size())
                .sum();
    }

    int[] ids() {
        return ids;
    }

    ScoredText text() {
        return protect();
    }

    ScoredText protect(TokenRange... ranges) {
        return new ScoredText(ids, scores, new ProtectedSpans(Arrays.asList(ranges)));
    }
}
