package dev.varve.platform.tokenizer;

import java.util.Optional;

/**
 * SentencePiece's BPE by scores ({@code llama}): the characters of a whole text between two special
 * tokens are merged, without a division into words. Spaces are U+2581 in the vocabulary; characters
 * that it lacks become byte tokens.
 *
 * <p>Not invertible for text that holds U+2581 itself: it decodes to a space.
 */
final class SentencePieceBpe implements MergeAlgorithm {
    private final CharacterMerger merger;
    private final boolean addsSpacePrefix;

    SentencePieceBpe(VocabularyData vocabulary, SymbolTable symbols) {
        this(
                new CharacterMerger(
                        symbols, new ScoreRules(vocabulary, symbols), vocabulary.tokens().length),
                vocabulary.rules().addsSpacePrefix());
    }

    private SentencePieceBpe(CharacterMerger merger, boolean addsSpacePrefix) {
        this.merger = merger;
        this.addsSpacePrefix = addsSpacePrefix;
    }

    @Override
    public void encode(byte[] text, int from, int to, MergeLoop loop, IntList ids) {
        if (from < to) {
            byte[] marked = SpaceMarks.mark(text, from, to, addsSpacePrefix);
            merger.append(marked, 0, marked.length, loop, ids);
        }
    }

    @Override
    public MergeAlgorithm continuing() {
        return new SentencePieceBpe(merger, false);
    }

    @Override
    public boolean addsSpacePrefix() {
        return addsSpacePrefix;
    }

    @Override
    public byte[] decode(byte[] tokenText) {
        return SpaceMarks.unmark(tokenText);
    }

    @Override
    public boolean coversAllBytes() {
        return merger.hasAllBytes();
    }

    @Override
    public boolean addsBos(Optional<Boolean> ofFile) {
        return ofFile.orElse(true);
    }

    @Override
    public String name() {
        return "SentencePiece, merged by scores"
                + (addsSpacePrefix ? ", text begins with a space" : "");
    }
}
