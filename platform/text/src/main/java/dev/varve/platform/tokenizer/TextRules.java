package dev.varve.platform.tokenizer;

import java.util.Optional;

/**
 * How a model file prepares text for its vocabulary.
 *
 * @param addsBos {@code add_bos_token}, if the file has it; some algorithms override it
 * @param addsSpacePrefix {@code add_space_prefix}: whether SentencePiece puts a space before text
 * @param swallowsSpace whether special tokens swallow the white space behind them
 * @param normalizer for vocabularies without merges
 */
record TextRules(
        Optional<Boolean> addsBos,
        boolean addsSpacePrefix,
        boolean swallowsSpace,
        NormalizerRules normalizer) {
    /** Rules of a vocabulary with merges or scores of pairs. */
    TextRules(Optional<Boolean> addsBos, boolean addsSpacePrefix, boolean swallowsSpace) {
        this(addsBos, addsSpacePrefix, swallowsSpace, NormalizerRules.DEFAULT);
    }

    /** Those of a file that says nothing. */
    static final TextRules DEFAULT =
            new TextRules(Optional.empty(), true, false, NormalizerRules.DEFAULT);
}
