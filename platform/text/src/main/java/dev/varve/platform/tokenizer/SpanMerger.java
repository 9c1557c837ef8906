package dev.varve.platform.tokenizer;

import java.util.ArrayList;
import java.util.List;

/** Joins neighbouring spans of the same trust, so that a token may cross a border between them. */
final class SpanMerger {
    private SpanMerger() {}

    /**
     * Returns the same text in runs of alternating trust, each of whole code points: a surrogate
     * pair that a border splits becomes untrusted as a whole.
     */
    static List<TextSpan> of(List<TextSpan> spans) {
        List<TextSpan> runs = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        boolean trusted = true;
        for (TextSpan span : spans) {
            if (span.text().isEmpty()) {
                continue;
            }
            int taken = 0;
            if (span.trusted() != trusted) {
                String high = "";
                if (splitsPair(text, span.text())) {
                    int last = text.length() - 1;
                    high = trusted ? text.substring(last) : "";
                    taken = trusted ? 0 : 1;
                    text.setLength(last + taken);
                    text.append(span.text(), 0, taken);
                }
                close(text, trusted, runs);
                text.append(high);
                trusted = span.trusted();
            }
            text.append(span.text(), taken, span.text().length());
        }
        close(text, trusted, runs);
        return runs;
    }

    private static boolean splitsPair(StringBuilder text, String next) {
        return !text.isEmpty()
                && Character.isSurrogatePair(text.charAt(text.length() - 1), next.charAt(0));
    }

    private static void close(StringBuilder text, boolean trusted, List<TextSpan> runs) {
        if (!text.isEmpty()) {
            runs.add(new TextSpan(text.toString(), trusted));
            text.setLength(0);
        }
    }
}
