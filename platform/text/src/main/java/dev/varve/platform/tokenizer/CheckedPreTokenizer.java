package dev.varve.platform.tokenizer;

import dev.varve.api.VarveException;
import dev.varve.api.model.PreTokenizer;

import java.util.Arrays;

/**
 * Checks a plugin's pre-tokenizer: text that is lost or duplicated between its words would silently
 * change the prompt. The plugin receives a copy of the text, so it cannot modify the original.
 */
final class CheckedPreTokenizer implements PreTokenizer {
    private final String name;
    private final PreTokenizer brought;

    /**
     * @param name name in {@code tokenizer.ggml.pre}
     */
    CheckedPreTokenizer(String name, PreTokenizer brought) {
        this.name = name;
        this.brought = brought;
    }

    @Override
    public void split(byte[] text, int begin, int end, Words words) {
        if (begin == end) {
            return;
        }
        Expected expected = new Expected(text, begin, end, words);
        try {
            brought.split(Arrays.copyOfRange(text, begin, end), 0, end - begin, expected);
        } catch (VarveException e) {
            throw e;
        } catch (StackOverflowError e) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    "text of "
                            + (end - begin)
                            + " bytes: the stack is too small for pre-tokenizer "
                            + name,
                    e);
        } catch (RuntimeException | LinkageError | AssertionError e) {
            throw new VarveException(
                    VarveException.Kind.UNSUPPORTED_MODEL,
                    "pre-tokenizer " + name + " failed: " + e.getClass().getName(),
                    e);
        }
        if (expected.at != end) {
            throw wrong("words up to byte " + (end - begin), "up to " + (expected.at - begin));
        }
    }

    /** Forwards words as long as they are adjacent. */
    private final class Expected implements Words {
        private final byte[] text;
        private final int first;
        private final int last;
        private final Words words;
        private int at;

        private Expected(byte[] text, int first, int last, Words words) {
            this.text = text;
            this.first = first;
            this.last = last;
            this.words = words;
            at = first;
        }

        @Override
        public void word(int begin, int end) {
            if (begin != at - first || end <= begin || end > last - first) {
                throw wrong(
                        "a word from byte " + (at - first) + " to at most " + (last - first),
                        "[" + begin + ", " + end + ")");
            }
            int next = first + end;
            if (next < last && Utf8.isContinuation(text[next])) {
                throw wrong(
                        "whole characters", "a word that ends inside a character, at byte " + end);
            }
            words.word(at, next);
            at = next;
        }
    }

    private VarveException wrong(String expected, String found) {
        return new VarveException(
                VarveException.Kind.UNSUPPORTED_MODEL,
                "pre-tokenizer " + name + ": expected " + expected + ", found " + found);
    }
}
