package dev.varve.platform.sequence;

import dev.varve.platform.shard.PoolGeometry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Scores of a sequence's pages, as the latest choice gave them: they say which pages are to lie in
 * its span then, and until the next one which page leaves first. Sinks, the page that is written
 * and those shortly before it stay whatever they score.
 */
final class PageRanking {
    /** Score of what is not known well enough to leave. */
    private static final float KEPT = 1e30f;

    /** Rank of what must not leave. */
    private static final float FIXED = 3.4e38f;

    private float[] scores = new float[0];
    private int position;

    /** Pages that the latest choice brought back. */
    private final Set<Integer> recalled = new HashSet<>();

    /** A choice that is made, or was made before. */
    void take(float[] given, int computed) {
        scores = given.clone();
        position = computed;
    }

    /** Tokens whose queries counted in it. */
    void isMadeAt(int tokens) {
        position = tokens;
    }

    /** The same choice for another sequence that begins alike. */
    PageRanking copy() {
        PageRanking copy = new PageRanking();
        copy.take(scores, position);
        return copy;
    }

    /** Whether there was a choice. */
    boolean isMade() {
        return scores.length > 0;
    }

    /** Computed tokens at the choice; 0 if there was none. */
    int position() {
        return position;
    }

    float[] scores() {
        return scores.clone();
    }

    /** What a page scores; it stays if it is newer than the choice. */
    float score(int page) {
        return page < scores.length ? scores[page] : KEPT;
    }

    /** The pages that are to lie in the span, of so many runs, the best ones first. */
    Set<Integer> wanted(int pages, int head, int runs) {
        List<Integer> order = new ArrayList<>(pages);
        for (int page = 0; page < pages; page++) {
            order.add(page);
        }
        order.sort((page, other) -> byRank(page, other, head));
        return new HashSet<>(order.subList(0, Math.min(runs, pages)));
    }

    /** Puts first the page that is to stay rather than another one; of equal ones the earlier. */
    int byRank(int page, int other, int head) {
        int byScore = Float.compare(rank(other, head), rank(page, head));
        return byScore != 0 ? byScore : Integer.compare(page, other);
    }

    private float rank(int page, int head) {
        return PageTable.isProtected(page, head) ? FIXED : score(page);
    }

    /** Of the pages that the choice before brought back, those that are wanted again. */
    int hits(Set<Integer> wanted) {
        return (int) recalled.stream().filter(wanted::contains).count();
    }

    /** Takes note of what the choice brought back. */
    void recalled(Collection<Integer> pages) {
        recalled.clear();
        recalled.addAll(pages);
    }

    /** Only so many tokens are left: a page that was cut has no score any more. */
    void cut(int tokens) {
        scores = Arrays.copyOf(scores, Math.min(scores.length, tokens / PoolGeometry.PAGE));
        position = Math.min(position, tokens);
        recalled.removeIf(page -> page >= PoolGeometry.pages(tokens));
    }
}
