package dev.varve.platform.compression.selection;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What stays of a text, and why.
 *
 * @param tokens of the whole text
 * @param kept what stays, ascending, without overlaps; neighbours differ in their reason
 * @param requested the part that was asked for
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

    /** All of a text. */
    static Selection whole(int tokens, KeepRatio requested) {
        return new Selection(
                tokens,
                List.of(new KeptRange(new TokenRange(0, tokens), KeepReason.WHOLE)),
                requested);
    }

    /** What stays, whatever the reason: ascending, and with a gap between any two. */
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

    /** Tokens that stay. */
    public int keptTokens() {
        return kept.stream().mapToInt(each -> each.tokens().size()).sum();
    }

    /** Tokens that stay for one reason. */
    public int keptTokens(KeepReason reason) {
        return kept.stream()
                .filter(each -> each.reason() == reason)
                .mapToInt(each -> each.tokens().size())
                .sum();
    }

    /** The part of the text that really stays. */
    public double actualRatio() {
        return (double) keptTokens() / tokens;
    }

    /** The part that stays of what might have been left out; 1 if everything is protected. */
    public double droppableRatio() {
        int fixed = keptTokens(KeepReason.PROTECTED);
        return fixed == tokens ? 1 : (double) (keptTokens() - fixed) / (tokens - fixed);
    }

    /** Whether nothing is left out. */
    public boolean isWhole() {
        return keptTokens() == tokens;
    }

    /**
     * The ids that stay, in their order.
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
