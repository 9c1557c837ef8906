package dev.varve.platform.sequence;

import dev.varve.platform.shard.PagePoolSizing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Scores of a sequence's pages from the latest choice: they determine which pages are in its span
 * then, and until the next choice which page leaves first. Sinks, the page that is written and
 * those shortly before it stay regardless of their scores.
 */
final class PageRanking {
    /** Score of a page that has no score yet and stays. */
    private static final float UNSCORED = 1e30f;

    /** Rank of a protected page. */
    private static final float FIXED = 3.4e38f;

    private float[] scores = new float[0];
    private int position;

    /** Pages that the latest choice brought back. */
    private final Set<Integer> recalled = new HashSet<>();

    /** Takes the scores of a choice, new or restored. */
    void setScores(float[] given, int computed) {
        scores = given.clone();
        position = computed;
    }

    /** Sets the number of tokens whose queries counted in the choice. */
    void setPosition(int tokens) {
        position = tokens;
    }

    /** Copies the choice for another sequence with a common prefix. */
    PageRanking copy() {
        PageRanking copy = new PageRanking();
        copy.setScores(scores, position);
        return copy;
    }

    /** Whether there was a choice. */
    boolean hasScores() {
        return scores.length > 0;
    }

    /** Computed tokens at the choice; 0 if there was none. */
    int position() {
        return position;
    }

    float[] scores() {
        return scores.clone();
    }

    /** Score of a page; a page that is newer than the choice stays. */
    float score(int page) {
        return page < scores.length ? scores[page] : UNSCORED;
    }

    /** Pages that belong in a span of this many runs, the best ones. */
    Set<Integer> bestPages(int pages, int head, int runs) {
        List<Integer> order = new ArrayList<>(pages);
        for (int page = 0; page < pages; page++) {
            order.add(page);
        }
        order.sort((page, other) -> byRank(page, other, head));
        return new HashSet<>(order.subList(0, Math.min(runs, pages)));
    }

    /** Orders pages by rank, higher first; pages of equal rank by number. */
    int byRank(int page, int other, int head) {
        int byScore = Float.compare(rank(other, head), rank(page, head));
        return byScore != 0 ? byScore : Integer.compare(page, other);
    }

    private float rank(int page, int head) {
        return PageTable.isProtected(page, head) ? FIXED : score(page);
    }

    /** Number of pages that the previous choice brought back and this one keeps. */
    int hits(Set<Integer> wanted) {
        return (int) recalled.stream().filter(wanted::contains).count();
    }

    /** Records the pages that the choice brought back. */
    void recalled(Collection<Integer> pages) {
        recalled.clear();
        recalled.addAll(pages);
    }

    /** Cuts the sequence to a number of tokens: a page that was cut has no score any more. */
    void truncate(int tokens) {
        scores = Arrays.copyOf(scores, Math.min(scores.length, tokens / PagePoolSizing.PAGE));
        position = Math.min(position, tokens);
        recalled.removeIf(page -> page >= PagePoolSizing.pages(tokens));
    }
}
