package dev.varve.platform.tokenizer;

import dev.varve.api.model.PreTokenizer;

/** Separates the white space at the end of a text: {@code \s+$}. */
final class LastSpacesSplitter implements PreTokenizer {
    @Override
    public void split(byte[] text, int from, int to, Words words) {
        int spaces = to;
        while (spaces > from) {
            int last = spaces - 1;
            while (last > from && Utf8.isContinuation(text[last])) {
                last--;
            }
            if (CharacterKind.of(Utf8.codePointAt(text, last)) != CharacterKind.SPACE) {
                break;
            }
            spaces = last;
        }
        if (from < spaces) {
            words.word(from, spaces);
        }
        if (spaces < to) {
            words.word(spaces, to);
        }
    }
}
