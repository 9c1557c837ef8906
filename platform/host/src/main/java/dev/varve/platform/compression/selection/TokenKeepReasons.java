package dev.varve.platform.compression.selection;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reasons for which each token of a text is kept; the first reason counts. Written per token. */
final class TokenKeepReasons {
    /** Ordinal of the reason, or {@value #DROPPED}. */
    private final byte[] reasons;

    private static final byte DROPPED = -1;

    TokenKeepReasons(int tokens) {
        reasons = new byte[tokens];
        Arrays.fill(reasons, DROPPED);
    }

    static TokenKeepReasons of(Selection selection) {
        TokenKeepReasons marks = new TokenKeepReasons(selection.tokens());
        selection.kept().forEach(each -> marks.keep(each.tokens(), each.reason()));
        return marks;
    }

    void keep(TokenRange range, KeepReason reason) {
        for (int token = range.begin(); token < range.end(); token++) {
            if (reasons[token] == DROPPED) {
                reasons[token] = (byte) reason.ordinal();
            }
        }
    }

    Selection selection() {
        List<KeptRange> kept = new ArrayList<>();
        int begin = 0;
        while (begin < reasons.length) {
            int end = begin + 1;
            while (end < reasons.length && reasons[end] == reasons[begin]) {
                end++;
            }
            if (reasons[begin] != DROPPED) {
                KeepReason reason = KeepReason.values()[reasons[begin]];
                kept.add(new KeptRange(new TokenRange(begin, end), reason));
            }
            begin = end;
        }
        return new Selection(reasons.length, kept);
    }
}
