package dev.varve.platform.tokenizer;

import dev.varve.api.model.PreTokenizer;

/**
 * Pre-tokenizer and defaults that belong to a name in {@code tokenizer.ggml.pre}.
 *
 * @param splitter splits text into words
 * @param addsBos whether prompts begin with the bos token if the file does not say
 * @param takesWholeWords whether a word that is a token is taken as it is, before any merging
 */
record WordRules(PreTokenizer splitter, boolean addsBos, boolean takesWholeWords) {
    /** Rules of most names. */
    static WordRules of(PreTokenizer splitter) {
        return new WordRules(splitter, false, false);
    }
}
