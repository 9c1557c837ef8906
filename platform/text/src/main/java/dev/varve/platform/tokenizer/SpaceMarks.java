package dev.varve.platform.tokenizer;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** The character U+2581, with which some vocabularies write spaces. */
final class SpaceMarks {
    private static final byte[] MARK = "\u2581".getBytes(StandardCharsets.UTF_8);

    private SpaceMarks() {}

    /**
     * Returns {@code text[from, to)} with a mark for each space.
     *
     * @param prefix whether one more mark comes first
     */
    static byte[] mark(byte[] text, int from, int to, boolean prefix) {
        int marks = prefix ? 1 : 0;
        int spaces = 0;
        for (int at = from; at < to; at++) {
            spaces += text[at] == ' ' ? 1 : 0;
        }
        long length = to - from + (long) spaces * (MARK.length - 1) + marks * MARK.length;
        byte[] marked = new byte[Math.toIntExact(length)];
        int end = prefix ? put(marked, 0) : 0;
        for (int at = from; at < to; at++) {
            if (text[at] == ' ') {
                end = put(marked, end);
            } else {
                marked[end++] = text[at];
            }
        }
        return marked;
    }

    private static int put(byte[] marked, int at) {
        System.arraycopy(MARK, 0, marked, at, MARK.length);
        return at + MARK.length;
    }

    /** Returns a token's text with a space for each mark. */
    static byte[] unmark(byte[] text) {
        ByteArrayOutputStream unmarked = new ByteArrayOutputStream(text.length);
        for (int at = 0; at < text.length; ) {
            if (isMark(text, at)) {
                unmarked.write(' ');
                at += MARK.length;
            } else {
                unmarked.write(text[at++]);
            }
        }
        return unmarked.toByteArray();
    }

    private static boolean isMark(byte[] text, int at) {
        return at + 2 < text.length
                && text[at] == MARK[0]
                && text[at + 1] == MARK[1]
                && text[at + 2] == MARK[2];
    }
}
