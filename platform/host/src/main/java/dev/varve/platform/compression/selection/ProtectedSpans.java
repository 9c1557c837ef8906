package dev.varve.platform.compression.selection;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Parts of a text that are kept whole: template markup, the system prompt, declared tools, the last
 * question.
 *
 * <p>They do not count for the ratio, which applies to all other tokens. Otherwise a long system
 * prompt would use up the budget, and no part of the conversation would be kept.
 *
 * @param ranges ascending, with a gap between any two
 */
public record ProtectedSpans(List<TokenRange> ranges) {
    /** Sorts the ranges, and merges those that overlap or touch. */
    public ProtectedSpans {
        List<TokenRange> merged = new ArrayList<>();
        for (TokenRange range :
                ranges.stream().sorted(Comparator.comparingInt(TokenRange::begin)).toList()) {
            if (!merged.isEmpty() && merged.getLast().end() >= range.begin()) {
                TokenRange last = merged.removeLast();
                merged.add(new TokenRange(last.begin(), Math.max(last.end(), range.end())));
            } else {
                merged.add(range);
            }
        }
        ranges = List.copyOf(merged);
    }

    /** Returns the union of two sets of spans. */
    public ProtectedSpans and(ProtectedSpans others) {
        return new ProtectedSpans(
                Stream.concat(ranges.stream(), others.ranges().stream()).toList());
    }

    /** Returns the number of protected tokens. */
    public int tokens() {
        return ranges.stream().mapToInt(TokenRange::size).sum();
    }

    /** Returns the position behind the last protected token; 0 if there is none. */
    int end() {
        return ranges.isEmpty() ? 0 : ranges.getLast().end();
    }

    BitSet asBits() {
        BitSet bits = new BitSet(end());
        ranges.forEach(range -> bits.set(range.begin(), range.end()));
        return bits;
    }
}
