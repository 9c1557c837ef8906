package dev.varve.platform.chat;

import dev.varve.platform.tokenizer.Detokenizer;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds marks that are plain text in a stream of tokens. Text that may become a mark is held back
 * until the next token decides; the result does not depend on where tokens divide the text. No mark
 * is a prefix of another one. For one response and one thread.
 */
final class TextMarkReader {
    /**
     * A mark that a token completes.
     *
     * @param id id of the mark
     * @param rest text of the token behind it
     */
    record Completion(int id, String rest) {}

    private final Tokenizer tokenizer;
    private final List<String> marks;
    private final StringBuilder held = new StringBuilder();
    private Detokenizer detokenizer;
    private int heldTokens;

    TextMarkReader(Tokenizer tokenizer, List<String> marks) {
        this.tokenizer = tokenizer;
        this.marks = List.copyOf(marks);
        detokenizer = tokenizer.detokenizer();
    }

    /** Consumes a token; returns the parts that are certain now. */
    List<ResponsePart> read(int token) {
        List<ResponsePart> parts = new ArrayList<>();
        if (tokenizer.isSpecial(token)) {
            release(parts, held.length());
            parts.add(ResponsePart.ofToken(token));
            return parts;
        }
        heldTokens++;
        held.append(detokenizer.push(token));
        split(parts);
        return parts;
    }

    /** Ends the response; returns the text that was held back. */
    List<ResponsePart> finish() {
        List<ResponsePart> parts = new ArrayList<>();
        held.append(detokenizer.finish());
        release(parts, held.length());
        return parts;
    }

    /** Returns the first mark that a token would complete. */
    Optional<Completion> peek(int token) {
        return first(held.toString(), text(token));
    }

    /** Returns how many tokens may come up to and including the first that completes a mark. */
    int untilMark(int[] tokens) {
        StringBuilder text = new StringBuilder(held);
        for (int i = 0; i < tokens.length; i++) {
            if (first(text.toString(), text(tokens[i])).isPresent()) {
                return i + 1;
            }
            text.append(text(tokens[i]));
            text.delete(0, text.length() - openLength(text));
        }
        return tokens.length;
    }

    private Optional<Completion> first(String before, String more) {
        String all = before + more;
        for (int at = 0; at < all.length(); at++) {
            int mark = markAt(all, at);
            if (mark >= 0) {
                return Optional.of(
                        new Completion(
                                tokenizer.vocabularySize() + mark,
                                all.substring(at + marks.get(mark).length())));
            }
        }
        return Optional.empty();
    }

    private String text(int token) {
        return tokenizer.isSpecial(token) ? "" : tokenizer.decode(new int[] {token});
    }

    private void split(List<ResponsePart> parts) {
        int at = 0;
        while (at < held.length()) {
            int mark = markAt(held, at);
            if (mark >= 0) {
                release(parts, at);
                held.delete(0, marks.get(mark).length());
                heldTokens = 0;
                parts.add(new ResponsePart(tokenizer.vocabularySize() + mark, "", 0));
                at = 0;
            } else {
                at++;
            }
        }
        release(parts, held.length() - openLength(held));
    }

    /** Releases the first characters as text. */
    private void release(List<ResponsePart> parts, int length) {
        if (length > 0) {
            parts.add(ResponsePart.ofText(held.substring(0, length), heldTokens));
            held.delete(0, length);
            heldTokens = 0;
        }
    }

    private int markAt(CharSequence text, int at) {
        for (int i = 0; i < marks.size(); i++) {
            if (startsWith(text, at, marks.get(i))) {
                return i;
            }
        }
        return -1;
    }

    private static boolean startsWith(CharSequence text, int at, String mark) {
        int end = at + mark.length();
        return end <= text.length() && mark.contentEquals(text.subSequence(at, end));
    }

    /** Returns the length of the longest end of a text with which a mark may begin. */
    private int openLength(CharSequence text) {
        int longest = 0;
        for (String mark : marks) {
            int length = Math.min(mark.length() - 1, text.length());
            while (length > longest
                    && !mark.startsWith(
                            text.subSequence(text.length() - length, text.length()).toString())) {
                length--;
            }
            longest = Math.max(longest, length);
        }
        return longest;
    }
}
