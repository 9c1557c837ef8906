package dev.varve.platform.compression.selection;

import java.util.List;

/**
 * Makes the pieces that stay begin with white space and end with or before it, so that no word is
 * cut and no two become one. Where white space is too far away, as in a script without any, a piece
 * grows to whole characters only. Pieces that meet become one.
 *
 * @param mostTokens by which a piece grows at each end, at least 0; where that does not complete a
 *     character, by those that do
 */
public record WordBoundaryAdjustment(int mostTokens) {
    /** At most 24 tokens at each end. */
    public static final WordBoundaryAdjustment USUAL = new WordBoundaryAdjustment(24);

    /** Checks the number. */
    public WordBoundaryAdjustment {
        if (mostTokens < 0) {
            throw new IllegalArgumentException(
                    "word repair: expected 0 tokens or more, found " + mostTokens);
        }
    }

    /** Adds what is missing; what stays already stays, for its old reason. */
    public Selection repair(Selection selection, TokenAlignedText pieces) {
        if (pieces.tokens() != selection.tokens()) {
            throw new IllegalArgumentException(
                    "expected the pieces of "
                            + selection.tokens()
                            + " tokens, found "
                            + pieces.tokens());
        }
        TokenKeepReasons marks = TokenKeepReasons.of(selection);
        List<TokenRange> runs = selection.runs();
        for (int i = 0; i < runs.size(); i++) {
            int before = i == 0 ? 0 : runs.get(i - 1).end();
            int behind = i + 1 == runs.size() ? selection.tokens() : runs.get(i + 1).begin();
            int begin = begin(runs.get(i).begin(), before, pieces);
            int end = end(runs.get(i).end(), behind, pieces);
            marks.keep(new TokenRange(begin, end), KeepReason.WORD);
        }
        return marks.selection(selection.requested());
    }

    /** {@code least}: where another piece ends. */
    private int begin(int begin, int least, TokenAlignedText pieces) {
        for (int at = begin; at >= Math.max(least, begin - mostTokens); at--) {
            if (at == least || pieces.mayBegin(at)) {
                return at;
            }
        }
        int at = begin;
        while (!pieces.isCharacterBorder(at)) {
            at--;
        }
        return at;
    }

    /** {@code most}: where another piece begins. */
    private int end(int end, int most, TokenAlignedText pieces) {
        for (int at = end; at <= Math.min(most, (long) end + mostTokens); at++) {
            if (at == most || pieces.mayEnd(at)) {
                return at;
            }
        }
        int at = end;
        while (!pieces.isCharacterBorder(at)) {
            at++;
        }
        return at;
    }
}
