package acme.tiny;

import dev.varve.api.model.PreTokenizer;

/** Every two characters are a word, so a token has at most two. */
final class TinyPreTokenizer implements PreTokenizer {
    @Override
    public void split(byte[] text, int begin, int end, Words words) {
        int word = begin;
        int characters = 0;
        for (int at = begin; at < end; at++) {
            boolean first = (text[at] & 0xC0) != 0x80;
            if (first && characters == 2) {
                words.word(word, at);
                word = at;
                characters = 0;
            }
            characters += first ? 1 : 0;
        }
        if (word < end) {
            words.word(word, end);
        }
    }
}
