package dev.varve.platform.compression.selection;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Kept ranges of a text, and the reasons.
 *
 * @param tokens length of the whole text
 * @param kept kept ranges, ascending, without overlaps; neighbours differ in their reason
 * @param requested the requested ratio
 */
public record Selection(int tokens, List<KeptRange> kept, KeepRatio requested) {
    /** Checks the ranges. */
    public Selection {
        kept = List.copyOf(kept);
        Objects.requireNonNull(requested);
        int at = 0;
        for (KeptRange each : kept) {
            if (each.tokens().begin() < at || each.tokens().end() > tokens) {
                throw new IllegalArgumentException(
                        "kept ranges must be ascending and end by " + tokens + ", got " + kept);
            }
            at = each.tokens().end();
        }
        if (kept.isEmpty()) {
            throw new IllegalArgumentException("something of a text must stay");
        }
    }

    /** Creates a selection of the whole text. */
    static Selection whole(int tokens, KeepRatio requested) {
        return new Selection(
                tokens,
                List.of(new KeptRange(new TokenRange(0, tokens), KeepReason.WHOLE)),
                requested);
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

    /** Returns the number of tokens that are kept for one reason. */
    public int keptTokens(KeepReason reason) {
        return kept.stream()
                .filter(each -> each.reason() == reason)
                .mapToInt(each -> each.tokens().size())
                .sum();
    }

    /** Returns the actual kept part of the text. */
    public double actualRatio() {
        return (double) keptTokens() / tokens;
    }

    /** Returns the kept part of the tokens that may be dropped; 1 if everything is protected. */
    public double droppableRatio() {
        int fixed = keptTokens(KeepReason.PROTECTED);
        return fixed == tokens ? 1 : (double) (keptTokens() - fixed) / (tokens - fixed);
    }

    /** Whether everything is kept. */
    public boolean isWhole() {
        return keptTokens() == tokens;
    }

    /**
     * Returns the kept ids, in their order.
     *
     * @param ids of the whole text
     */
    public int[] of(int[] ids) {
        if (ids.length != tokens) {
            throw new IllegalArgumentException("expected " + tokens + " ids, found " + ids.length);
        }
        int[] left = new int[keptTokens()];
        int at = 0;
        for (KeptRange each : kept) {
            System.arraycopy(ids, each.tokens().begin(), left, at, each.tokens().size());
            at += each.tokens().size();
        }
        return left;
    }
}
