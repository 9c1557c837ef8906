package dev.varve.platform.tokenizer;

import java.util.Arrays;

/**
 * Merges the characters of a text into tokens. Characters that the vocabulary lacks become one byte
 * token per byte of their UTF-8; bytes without such a token are dropped. Safe for many threads.
 */
final class CharacterMerger {
    private final SymbolTable symbols;
    private final MergeRules rules;
    private final int vocabularySize;

    /** Token of each byte, {@code -1} for none. */
    private final int[] byteTokens = new int[256];

    private final WordCache cache = new WordCache();

    /**
     * @param symbols with the tokens first
     * @param vocabularySize number of tokens
     */
    CharacterMerger(SymbolTable symbols, MergeRules rules, int vocabularySize) {
        this.symbols = symbols;
        this.rules = rules;
        this.vocabularySize = vocabularySize;
        for (int value = 0; value < 256; value++) {
            byteTokens[value] = token(ByteToken.text(value));
        }
    }

    /** Appends the tokens of {@code text[from, to)}, not empty. */
    void append(byte[] text, int from, int to, MergeLoop loop, IntList ids) {
        if (cache.appendTokens(text, from, to, ids)) {
            return;
        }
        loop.start();
        for (int at = from; at < to; ) {
            loop.mayWait();
            int length = Utf8.length(Utf8.codePointAt(text, at));
            loop.add(symbols.find(text, at, at + length), at);
            at += length;
        }
        loop.merge(rules);
        int before = ids.size();
        for (int index = 0; index < loop.end(); index = loop.next(index)) {
            int symbol = loop.symbol(index);
            if (symbol >= 0 && symbol < vocabularySize) {
                ids.add(symbol);
            } else {
                int next = loop.next(index);
                addBytes(text, loop.start(index), next < loop.end() ? loop.start(next) : to, ids);
            }
        }
        cache.put(text, from, to, ids.toArray(before));
    }

    private void addBytes(byte[] text, int from, int to, IntList ids) {
        for (int at = from; at < to; at++) {
            int id = byteTokens[text[at] & 0xFF];
            if (id >= 0) {
                ids.add(id);
            }
        }
    }

    /** Returns whether every byte has a token. */
    boolean hasAllBytes() {
        return Arrays.stream(byteTokens).allMatch(token -> token >= 0);
    }

    private int token(byte[] text) {
        int id = symbols.find(text);
        return id < vocabularySize ? id : -1;
    }
}
