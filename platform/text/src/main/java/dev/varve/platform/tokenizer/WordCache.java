package dev.varve.platform.tokenizer;

import java.util.Arrays;

/**
 * Cache of the tokens of recent words, by content. A fixed number of slots in which a newer word
 * replaces an older one: bounded, and a lookup costs one hash and one comparison.
 *
 * <p>Shared by all threads without locks. Entries are immutable, so a thread reads a whole entry or
 * an older one; a lost write only costs a later merge.
 */
final class WordCache {
    /** Longer words are rare and cheaper to merge again than to keep. */
    private static final int MAX_WORD_BYTES = 48;

    private static final int SLOTS = 1 << 14;

    private record Entry(byte[] word, int[] ids) {}

    private final Entry[] entries = new Entry[SLOTS];

    /** Appends the tokens of a word if they are cached. */
    boolean appendTokens(byte[] text, int from, int to, IntList ids) {
        if (to - from > MAX_WORD_BYTES) {
            return false;
        }
        Entry entry = entries[slot(text, from, to)];
        if (entry == null || !Arrays.equals(entry.word, 0, entry.word.length, text, from, to)) {
            return false;
        }
        ids.addAll(entry.ids);
        return true;
    }

    void put(byte[] text, int from, int to, int[] ids) {
        if (to - from <= MAX_WORD_BYTES) {
            entries[slot(text, from, to)] = new Entry(Arrays.copyOfRange(text, from, to), ids);
        }
    }

    private static int slot(byte[] text, int from, int to) {
        return SymbolTable.hash(text, from, to) & SLOTS - 1;
    }
}
