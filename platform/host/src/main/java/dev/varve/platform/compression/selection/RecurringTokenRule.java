package dev.varve.platform.compression.selection;

import dev.varve.platform.compression.selection.TokenOccurrences.Count;

import java.util.Comparator;

/** Keeps the chunks of tokens that recur often, but not too often. */
final class RecurringTokenRule {
    private static final Comparator<Count> ORDER =
            Comparator.comparingInt(Count::count).reversed().thenComparingInt(Count::id);

    private final ChunkedText chunks;
    private final TokenOccurrences occurrences;

    /**
     * @param bodyEnd number of the text's tokens that count
     */
    RecurringTokenRule(ChunkedText chunks, int bodyEnd) {
        this.chunks = chunks;
        occurrences = new TokenOccurrences(chunks.ids(), bodyEnd);
    }

    /**
     * Keeps chunks, most frequent token first, until {@code until} chunks are kept for any reason.
     */
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
