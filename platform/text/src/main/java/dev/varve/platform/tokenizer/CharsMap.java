package dev.varve.platform.tokenizer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * SentencePiece's compiled replacements of characters: a double-array trie of the replaced texts,
 * whose leaves hold offsets of NUL-terminated replacements.
 *
 * <p>The array comes from a file, so that every index is checked; an index outside ends a search.
 */
final class CharsMap {
    private static final byte[] REPLACEMENT = "\uFFFD".getBytes(StandardCharsets.UTF_8);

    private final int[] trie;
    private final byte[] texts;

    /**
     * @param compiled length of the trie in bytes, the trie and the replacements; empty for none
     */
    CharsMap(byte[] compiled) {
        if (compiled.length == 0) {
            trie = new int[0];
            texts = new byte[0];
            return;
        }
        ByteBuffer buffer = ByteBuffer.wrap(compiled).order(ByteOrder.LITTLE_ENDIAN);
        long length = compiled.length < Integer.BYTES ? -1 : buffer.getInt() & 0xFFFFFFFFL;
        if (length < 0 || length % Integer.BYTES != 0 || length > buffer.remaining()) {
            throw VocabularyData.corrupt(
                    "precompiled_charsmap",
                    "a trie within its " + compiled.length + " bytes",
                    "one of " + length + " bytes");
        }
        trie = new int[(int) length / Integer.BYTES];
        buffer.asIntBuffer().get(trie);
        buffer.position(buffer.position() + (int) length);
        texts = new byte[buffer.remaining()];
        buffer.get(texts);
    }

    /** A piece of text and what replaces it: bytes of an array. */
    record Replaced(int length, byte[] source, int from, int to) {}

    /** Returns the replacement of the longest known text at a place, or of one character. */
    Replaced at(byte[] text, int at, int end) {
        int found = 0;
        int value = -1;
        int node = trie.length == 0 ? -1 : base(trie[0]);
        for (int next = at; next < end; next++) {
            int key = text[next] & 0xFF;
            node ^= key;
            if (node < 0 || node >= trie.length || key == 0 || check(trie[node]) != key) {
                break;
            }
            boolean leaf = (trie[node] >>> 8 & 1) != 0;
            node ^= base(trie[node]);
            if (leaf && node >= 0 && node < trie.length) {
                found = next + 1 - at;
                value = trie[node] & 0x7FFFFFFF;
            }
        }
        return found > 0 && value < texts.length
                ? new Replaced(found, texts, value, textEnd(value))
                : character(text, at, end);
    }

    private int textEnd(int from) {
        int end = from;
        while (end < texts.length && texts[end] != 0) {
            end++;
        }
        return end;
    }

    /** One character as it is; a byte that begins none becomes U+FFFD. */
    private static Replaced character(byte[] text, int at, int end) {
        int length = Utf8.length(Utf8.codePointAt(text, at));
        return at + length <= end
                ? new Replaced(length, text, at, at + length)
                : new Replaced(1, REPLACEMENT, 0, REPLACEMENT.length);
    }

    private static int base(int unit) {
        return unit >>> 10 << ((unit & 1 << 9) >>> 6);
    }

    private static int check(int unit) {
        return unit & (1 << 31 | 0xFF);
    }
}
