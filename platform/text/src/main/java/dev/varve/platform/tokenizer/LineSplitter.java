package dev.varve.platform.tokenizer;

import dev.varve.api.model.PreTokenizer;

/** Splits into runs of newlines and runs of anything else: {@code [^\n]+|[\n]+}. */
final class LineSplitter implements PreTokenizer {
    @Override
    public void split(byte[] text, int from, int to, Words words) {
        for (int at = from; at < to; ) {
            boolean newline = text[at] == '\n';
            int end = at + 1;
            while (end < to && text[end] == '\n' == newline) {
                end++;
            }
            words.word(at, end);
            at = end;
        }
    }
}
