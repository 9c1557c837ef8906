package dev.varve.platform.compression.selection;

import dev.varve.platform.compression.selection.TokenOccurrences.Count;

import java.util.Comparator;

/** Keeps the chunks in which tokens stand that come again and again, but not all the time. */
final class RecurringTokenRule {
    private static final Comparator<Count> ORDER =
            Comparator.comparingInt(Count::count).reversed().thenComparingInt(Count::id);

    private final TextChunks chunks;
    private final TokenOccurrences occurrences;

    /**
     * @param bodyEnd tokens of the text that count
     */
    RecurringTokenRule(TextChunks chunks, int bodyEnd) {
        this.chunks = chunks;
        occurrences = new TokenOccurrences(chunks.ids(), bodyEnd);
    }

    /** The most frequent token first, until so many chunks stay for whatever reason. */
    void keep(RecurringTokenSettings rule, int until, KeptChunks marks) {
        occurrences.counts().stream()
                .filter(each -> each.count() >= rule.least() && each.count() <= rule.most())
                .sorted(ORDER)
                .takeWhile(each -> marks.count() < until)
                .forEachOrdered(each -> keep(each.id(), until, marks));
    }

    private void keep(int id, int until, KeptChunks marks) {
        for (int at : occurrences.of(id)) {
            if (marks.count() < until && chunks.isFree(at, 1)) {
                marks.keep(chunks.grid().chunk(at), KeepReason.REPEAT);
            }
        }
    }
}
