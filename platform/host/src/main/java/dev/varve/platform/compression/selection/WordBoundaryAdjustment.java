package dev.varve.platform.compression.selection;

import java.util.List;

/**
 * Extends kept pieces to word boundaries: a piece begins with white space and ends with or before
 * it, so that no word is cut and no two are joined. Where white space is too far away, as in a
 * script without any, a piece grows to whole characters only. Pieces that meet are merged.
 *
 * @param mostTokens by which a piece grows at each end, at least 0; if that does not complete a
 *     character, by as many as complete it
 */
public record WordBoundaryAdjustment(int mostTokens) {
    /** Default: at most 24 tokens at each end. */
    public static final WordBoundaryAdjustment USUAL = new WordBoundaryAdjustment(24);

    /** Checks the range. */
    public WordBoundaryAdjustment {
        if (mostTokens < 0) {
            throw new IllegalArgumentException(
                    "word repair: expected 0 or more tokens, found " + mostTokens);
        }
    }

    /** Adds the missing tokens; kept tokens keep their reason. */
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
        return marks.selection();
    }

    /** Extends the beginning of a piece; {@code least} is the end of another piece. */
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

    /** Extends the end of a piece; {@code most} is the beginning of another piece. */
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
