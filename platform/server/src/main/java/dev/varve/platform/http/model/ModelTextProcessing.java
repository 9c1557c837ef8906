package dev.varve.platform.http.model;

import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.grammar.GrammarCompiler;
import dev.varve.platform.sampling.SequenceBreakers;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Optional;

/**
 * Converts conversations to tokens, and tokens to responses.
 *
 * @param tokenizer tokenizer of the model
 * @param chat renders conversations; empty if the model has no chat template
 * @param responseSyntax syntax of the model's output
 * @param reasoningDefaults reasoning options for requests that give none
 * @param grammars compiles grammars of required response formats
 * @param breakers finds the tokens that end repeated sequences
 */
public record ModelTextProcessing(
        Tokenizer tokenizer,
        Optional<ChatRenderer> chat,
        ResponseSyntax responseSyntax,
        ReasoningDefaults reasoningDefaults,
        GrammarCompiler grammars,
        SequenceBreakers.Finder breakers) {
    /** Makes one with a grammar compiler and a finder of its own. */
    public ModelTextProcessing(
            Tokenizer tokenizer,
            Optional<ChatRenderer> chat,
            ResponseSyntax responseSyntax,
            ReasoningDefaults reasoningDefaults) {
        this(
                tokenizer,
                chat,
                responseSyntax,
                reasoningDefaults,
                new GrammarCompiler(tokenizer),
                new SequenceBreakers.Finder(tokenizer));
    }
}
