package dev.varve.platform.tokenizer;

import java.util.OptionalInt;

/**
 * How a model file normalises text before it is divided into tokens; only for vocabularies without
 * merges.
 *
 * @param lowerCase whether letters become lower-case ones
 * @param stripsAccents whether letters lose their combining marks
 * @param mergesSpaces whether runs of spaces become one, and those at the ends vanish
 * @param charsMap SentencePiece's compiled replacements of characters; empty for none
 * @param unknown token of text that the vocabulary lacks
 */
record NormalizerRules(
        boolean lowerCase,
        boolean stripsAccents,
        boolean mergesSpaces,
        byte[] charsMap,
        OptionalInt unknown) {
    /** No replacements. */
    static final byte[] NO_MAP = {};

    /** Those of a file that says nothing. */
    static final NormalizerRules DEFAULT =
            new NormalizerRules(true, true, false, NO_MAP, OptionalInt.empty());
}
