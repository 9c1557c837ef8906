package dev.varve.api.model;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Cuts text into the words inside which a byte-level BPE vocabulary merges its symbols. A family
 * brings its own where the platform does not know the one that its files name, see {@link
 * ModelFamilyProvider#preTokenizers}.
 *
 * <p>Called from many threads at once, with text of users: it must take linear time and little of
 * the stack, whatever the text. Special tokens have been cut out before.
 *
 * <p>Stable: a plugin that is built against it goes on working.
 */
@FunctionalInterface
public interface PreTokenizer {
    /** Receives the words of a text, in their order. */
    @FunctionalInterface
    interface Words {
        /**
         * The next word, {@code text[begin, end)}: not empty, beginning where the one before ended.
         * Every byte of a text belongs to a word, and no character to two.
         */
        void word(int begin, int end);
    }

    /**
     * Splits {@code text[begin, end)}, well-formed UTF-8, as if nothing stood before or after it.
     *
     * @param text to be read only
     */
    void split(byte[] text, int begin, int end, Words words);

    /**
     * A pre-tokenizer whose words are the matches of an expression; what stands between two matches
     * is a word, too. Most models publish theirs in this form; {@link
     * Pattern#UNICODE_CHARACTER_CLASS} makes {@code \s} what it is there.
     *
     * <p>Java keeps groups with alternatives that are repeated on the stack: a text for which the
     * stack is too small is refused, and where that happens to honest texts, a loop by hand is the
     * way.
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

    /** Hands on the characters as one word that begins at byte {@code at}; returns its end. */
    private static int hand(String characters, int from, int to, int at, Words words) {
        int bytes = characters.substring(from, to).getBytes(StandardCharsets.UTF_8).length;
        if (bytes > 0) {
            words.word(at, at + bytes);
        }
        return at + bytes;
    }
}
