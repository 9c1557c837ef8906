/** Tokenizers and samplers: from text to tokens, and from logits to a token. */
module dev.varve.platform.text {
    requires transitive dev.varve.api;
    requires transitive dev.varve.platform.base;

    exports dev.varve.platform.sampling;
    exports dev.varve.platform.tokenizer;
}
