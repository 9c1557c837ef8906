package dev.varve.platform.compression.selection;

import java.util.ArrayList;
import java.util.List;

/**
 * Kept ranges of a text, and the reasons.
 *
 * @param tokens length of the whole text
 * @param kept kept ranges, ascending, without overlaps; neighbours differ in their reason
 */
public record Selection(int tokens, List<KeptRange> kept) {
    /** Checks the ranges. */
    public Selection {
        kept = List.copyOf(kept);
        int at = 0;
        for (KeptRange each : kept) {
            if (each.tokens().begin() < at || each.tokens().end() > tokens) {
                throw new IllegalArgumentException(
                        "kept ranges must be ascending and end by " + tokens + ", got " + kept);
            }
            at = each.tokens().end();
        }
        if (kept.isEmpty()) {
            throw new IllegalArgumentException(
                    "expected a selection that keeps part of the text, found none");
        }
    }

    /** Creates a selection of the whole text. */
    static Selection whole(int tokens) {
        return new Selection(
                tokens, List.of(new KeptRange(new TokenRange(0, tokens), KeepReason.WHOLE)));
    }

    /**
     * Returns the kept ranges regardless of their reasons: ascending, with a gap between any two.
     */
    public List<TokenRange> runs() {
        List<TokenRange> runs = new ArrayList<>();
        for (KeptRange each : kept) {
            TokenRange range = each.tokens();
            if (!runs.isEmpty() && runs.getLast().end() == range.begin()) {
                range = new TokenRange(runs.removeLast().begin(), range.end());
            }
            runs.add(range);
        }
        return List.copyOf(runs);
    }

    /** Returns the number of kept tokens. */
    public int keptTokens() {
        return kept.stream().mapToInt(each -> each.tokens().size()).sum();
    }

    /** Whether everything is kept. */
    public boolean isWhole() {
        return keptTokens() == tokens;
    }
}
