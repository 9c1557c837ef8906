package dev.varve.platform.compression;

import dev.varve.platform.compression.selection.CharRange;
import dev.varve.platform.compression.selection.Selection;
import dev.varve.platform.compression.selection.TokenAlignedText;
import dev.varve.platform.compression.selection.TokenRange;

import java.util.List;

/**
 * Result of compressing a text.
 *
 * @param text the whole text
 * @param pieces the whole text in the drafter's tokens
 * @param selection which tokens are kept, and why
 * @param times duration of each phase
 */
public record CompressedText(
        String text, TokenAlignedText pieces, Selection selection, CompressionTimes times) {
    /** Returns the kept chars, ascending, with a gap between any two ranges. */
    public List<CharRange> kept() {
        return selection.runs().stream()
                .map(this::chars)
                .filter(range -> range.end() > range.begin())
                .map(range -> new CharRange(range.begin(), range.end()))
                .toList();
    }

    private TokenRange chars(TokenRange run) {
        // A token may hold only a part of a character that later tokens complete.
        int begin = pieces.charsBefore(run.begin());
        return new TokenRange(begin, Math.max(begin + 1, pieces.charsBefore(run.end())));
    }

    /** Returns the kept pieces of a part of the text, concatenated. */
    public String keptOf(CharRange part) {
        StringBuilder left = new StringBuilder();
        for (CharRange range : kept()) {
            int begin = Math.max(range.begin(), part.begin());
            int end = Math.min(range.end(), part.end());
            if (begin < end) {
                left.append(text, begin, end);
            }
        }
        return left.toString();
    }
}
