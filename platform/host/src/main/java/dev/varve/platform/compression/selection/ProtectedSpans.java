package dev.varve.platform.compression.selection;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Parts of a text that stay whole: marks of the chat template, the system prompt, declared tools,
 * the last question.
 *
 * <p>They are no part of what is compressed: a ratio is one of all other tokens, and whatever stays
 * of those is beside the protected ones. Were it otherwise, a long system prompt would use up the
 * budget, and nothing of the conversation would be left.
 *
 * @param ranges ascending, with a gap between any two
 */
public record ProtectedSpans(List<TokenRange> ranges) {
    /** Everything may be left out. */
    public static final ProtectedSpans NONE = new ProtectedSpans(List.of());

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

    /** Both what is protected here and what is protected there. */
    public ProtectedSpans and(ProtectedSpans others) {
        return new ProtectedSpans(
                Stream.concat(ranges.stream(), others.ranges().stream()).toList());
    }

    /** Tokens that are protected. */
    public int tokens() {
        return ranges.stream().mapToInt(TokenRange::size).sum();
    }

    /** Position behind the last protected token; 0 if there is none. */
    int end() {
        return ranges.isEmpty() ? 0 : ranges.getLast().end();
    }

    BitSet asBits() {
        BitSet bits = new BitSet(end());
        ranges.forEach(range -> bits.set(range.begin(), range.end()));
        return bits;
    }
}
