package dev.varve.api.model;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Splits text into the words inside which a byte-level BPE vocabulary merges its symbols. A family
 * provides one if the platform does not know the pre-tokenizer that its files name, see {@link
 * ModelFamilyProvider#preTokenizers}.
 *
 * <p>Called from many threads at once, with text of users: it must take linear time and little of
 * the stack, whatever the text. Special tokens were split off before.
 *
 * <p>Stable: a plugin that is built against it keeps working.
 */
@FunctionalInterface
public interface PreTokenizer {
    /** Receives the words of a text, in their order. */
    @FunctionalInterface
    interface Words {
        /**
         * Receives the next word, {@code text[begin, end)}: not empty, beginning at the end of the
         * previous word. Every byte of a text belongs to a word, and no character belongs to two.
         */
        void word(int begin, int end);
    }

    /**
     * Splits {@code text[begin, end)}, well-formed UTF-8, ignoring the text before and after it.
     *
     * @param text not to be modified
     */
    void split(byte[] text, int begin, int end, Words words);

    /**
     * Returns a pre-tokenizer whose words are the matches of an expression; the text between two
     * matches is also a word. Most models publish theirs in this form; {@link
     * Pattern#UNICODE_CHARACTER_CLASS} gives {@code \s} the meaning that it has there.
     *
     * <p>Java matches repeated groups with alternatives recursively. A text for which the stack is
     * too small is rejected; if that happens to ordinary texts, write the loop by hand.
     */
    static PreTokenizer matching(Pattern expression) {
        return (text, begin, end, words) -> {
            String characters = new String(text, begin, end - begin, StandardCharsets.UTF_8);
            Matcher matcher = expression.matcher(characters);
            int at = begin;
            int character = 0;
            while (matcher.find()) {
                if (matcher.end() > matcher.start()) {
                    at = hand(characters, character, matcher.start(), at, words);
                    at = hand(characters, matcher.start(), matcher.end(), at, words);
                    character = matcher.end();
                }
            }
            hand(characters, character, characters.length(), at, words);
        };
    }

    /** Emits the characters as one word that begins at byte {@code at}; returns its end. */
    private static int hand(String characters, int from, int to, int at, Words words) {
        int bytes = characters.substring(from, to).getBytes(StandardCharsets.UTF_8).length;
        if (bytes > 0) {
            words.word(at, at + bytes);
        }
        return at + bytes;
    }
}
