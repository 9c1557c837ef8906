package dev.varve.platform.tokenizer;

import java.util.OptionalInt;

/**
 * The ids that a model file gives to special tokens.
 *
 * @param bos begins a text
 * @param eos ends a text
 * @param eot ends a turn
 * @param eom ends a message of several in a turn
 */
record NamedIds(OptionalInt bos, OptionalInt eos, OptionalInt eot, OptionalInt eom) {
    static final NamedIds NONE =
            new NamedIds(
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    OptionalInt.empty());

    /** Refuses ids that are not below the size of the vocabulary. */
    void check(int tokens) {
        VocabularyData.checkId("bos_token_id", bos, tokens);
        VocabularyData.checkId("eos_token_id", eos, tokens);
        VocabularyData.checkId("eot_token_id", eot, tokens);
        VocabularyData.checkId("eom_token_id", eom, tokens);
    }
}
