package dev.varve.platform.tokenizer;

import dev.varve.api.model.PreTokenizer;

import java.util.Arrays;
import java.util.Optional;

/** Byte-level BPE ({@code gpt2}): words are merged from single bytes, so every text has tokens. */
final class ByteLevelBpe implements MergeAlgorithm {
    private final String pre;
    private final PreTokenizer splitter;
    private final boolean addsBos;

    /** The tokens that are taken as whole words; empty if all words are merged. */
    private final Optional<WholeWords> wholeWords;

    private final MergeTable merges;
    private final int vocabularySize;

    /** Symbol of each byte; a token where it is below the vocabulary size. */
    private final int[] byteSymbols = new int[256];

    private final WordCache cache = new WordCache();

    ByteLevelBpe(VocabularyData vocabulary, SymbolTable symbols, PreTokenizers preTokenizers) {
        pre = vocabulary.pre();
        WordRules rules = preTokenizers.named(pre);
        splitter = rules.splitter();
        addsBos = rules.addsBos();
        vocabularySize = vocabulary.tokens().length;
        for (int value = 0; value < 256; value++) {
            byte[] character = ByteAlphabet.encode(value);
            byteSymbols[value] = symbols.findOrAdd(character, 0, character.length);
        }
        merges = MergeTable.of(vocabulary.merges(), symbols);
        wholeWords =
                rules.takesWholeWords()
                        ? Optional.of(new WholeWords(vocabulary, symbols))
                        : Optional.empty();
    }

    @Override
    public void encode(byte[] text, int from, int to, MergeLoop loop, IntList ids) {
        splitter.split(text, from, to, (begin, end) -> encodeWord(text, begin, end, loop, ids));
    }

    private void encodeWord(byte[] text, int from, int to, MergeLoop loop, IntList ids) {
        loop.mayWait();
        if (cache.appendTokens(text, from, to, ids)) {
            return;
        }
        if (wholeWords.isPresent()) {
            int id = wholeWords.get().find(text, from, to);
            if (id >= 0) {
                ids.add(id);
                cache.put(text, from, to, new int[] {id});
                return;
            }
        }
        loop.start();
        for (int at = from; at < to; at++) {
            loop.add(byteSymbols[text[at] & 0xFF], at);
        }
        loop.merge(merges);
        int before = ids.size();
        for (int index = 0; index < loop.end(); index = loop.next(index)) {
            int symbol = loop.symbol(index);
            if (symbol < vocabularySize) {
                ids.add(symbol);
            } else {
                int next = loop.next(index);
                addBytes(text, loop.start(index), next < loop.end() ? loop.start(next) : to, ids);
            }
        }
        cache.put(text, from, to, ids.toArray(before));
    }

    /**
     * Appends byte tokens, for a merge whose result is no token. Bytes that are no token either are
     * dropped.
     */
    private void addBytes(byte[] text, int from, int to, IntList ids) {
        for (int at = from; at < to; at++) {
            int symbol = byteSymbols[text[at] & 0xFF];
            if (symbol < vocabularySize) {
                ids.add(symbol);
            }
        }
    }

    @Override
    public byte[] decode(byte[] tokenText) {
        return ByteAlphabet.decode(tokenText);
    }

    @Override
    public boolean coversAllBytes() {
        return Arrays.stream(byteSymbols).allMatch(symbol -> symbol < vocabularySize);
    }

    @Override
    public boolean addsBos(Optional<Boolean> ofFile) {
        return ofFile.orElse(addsBos);
    }

    @Override
    public String name() {
        return "byte-level BPE, words as in " + pre + ", " + merges.describe();
    }
}
