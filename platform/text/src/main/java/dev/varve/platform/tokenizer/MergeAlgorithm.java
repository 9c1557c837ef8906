package dev.varve.platform.tokenizer;

import dev.varve.api.VarveException;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Algorithm with which a kind of vocabulary converts text without special tokens to token ids. Safe
 * for many threads.
 */
interface MergeAlgorithm {
    /**
     * Creates the algorithm of a vocabulary; {@code symbols} holds its tokens, and the factory may
     * add merge parts.
     */
    interface Factory {
        MergeAlgorithm of(
                VocabularyData vocabulary, SymbolTable symbols, PreTokenizers preTokenizers);
    }

    /** Name of the vocabularies with scores in {@code tokenizer.ggml.model}. */
    String SENTENCE_PIECE = "llama";

    /** Name of the vocabularies of words and their continuations. */
    String WORD_PIECE = "bert";

    /** Name of the vocabularies with log probabilities. */
    String UNIGRAM = "t5";

    /** By {@code tokenizer.ggml.model}. A new algorithm is one entry here. */
    Map<String, Factory> BY_MODEL =
            new TreeMap<>(
                    Map.of(
                            "gpt2",
                            ByteLevelBpe::new,
                            // The others need no pre-tokenizer.
                            SENTENCE_PIECE,
                            (vocabulary, symbols, preTokenizers) ->
                                    new SentencePieceBpe(vocabulary, symbols),
                            WORD_PIECE,
                            (vocabulary, symbols, preTokenizers) ->
                                    new WordPiece(vocabulary, symbols),
                            UNIGRAM,
                            (vocabulary, symbols, preTokenizers) ->
                                    new Unigram(vocabulary, symbols),
                            "gemma4",
                            (vocabulary, symbols, preTokenizers) ->
                                    new CharacterBpe(vocabulary, symbols)));

    /**
     * Appends the tokens of {@code text[from, to)}, well-formed UTF-8, all the text between two
     * special tokens. The loop is scratch memory of the caller.
     */
    void encode(byte[] text, int from, int to, MergeLoop loop, IntList ids);

    /** The same algorithm for text that continues other text. */
    default MergeAlgorithm continuing() {
        return this;
    }

    /** Returns whether it puts a space before each text. */
    default boolean addsSpacePrefix() {
        return false;
    }

    /** The bytes that a normal token stands for. */
    byte[] decode(byte[] tokenText);

    /** Returns whether each byte of a text is part of one of its tokens. */
    boolean coversAllBytes();

    /**
     * Returns whether prompts begin with the bos token.
     *
     * @param ofFile what the file says, if anything
     */
    boolean addsBos(Optional<Boolean> ofFile);

    /** Name for messages. */
    String name();

    static MergeAlgorithm of(
            VocabularyData vocabulary, SymbolTable symbols, PreTokenizers preTokenizers) {
        Factory factory = BY_MODEL.get(vocabulary.model());
        if (factory == null) {
            throw new VarveException(
                    VarveException.Kind.UNSUPPORTED_MODEL,
                    "tokenizer.ggml.model: expected one of "
                            + BY_MODEL.keySet()
                            + ", found \""
                            + vocabulary.model()
                            + "\"");
        }
        return factory.of(vocabulary, symbols, preTokenizers);
    }
}
