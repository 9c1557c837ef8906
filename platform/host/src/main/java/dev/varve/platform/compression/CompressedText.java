package dev.varve.platform.compression;

import dev.varve.platform.compression.selection.CharRange;
import dev.varve.platform.compression.selection.Selection;
import dev.varve.platform.compression.selection.TokenAlignedText;
import dev.varve.platform.compression.selection.TokenRange;

import java.util.List;

/**
 * What stays of a text.
 *
 * @param text the whole of it
 * @param pieces the same in the drafter's tokens
 * @param selection which of these stay, and why
 * @param times what it took
 */
public record CompressedText(
        String text, TokenAlignedText pieces, Selection selection, CompressionTimes times) {
    /** The chars that stay, ascending, with a gap between any two. */
    public List<CharRange> kept() {
        return selection.runs().stream()
                .map(this::chars)
                .filter(range -> range.end() > range.begin())
                .map(range -> new CharRange(range.begin(), range.end()))
                .toList();
    }

    private TokenRange chars(TokenRange run) {
        // A token may hold nothing but a part of a character that others complete.
        int begin = pieces.charsBefore(run.begin());
        return new TokenRange(begin, Math.max(begin + 1, pieces.charsBefore(run.end())));
    }

    /** What stays of a part of the text, one piece behind the other. */
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
