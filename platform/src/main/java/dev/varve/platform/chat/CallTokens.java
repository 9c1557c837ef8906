package dev.varve.platform.chat;

import dev.varve.api.model.ToolSyntax;
import dev.varve.platform.tokenizer.TextSpan;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The special tokens of tool calls. Recognised by id, so that nobody can fake them with text.
 *
 * @param openId id of the mark that begins a call
 * @param closeId id of the mark that ends it
 * @param quoteId id of the mark around strings, if the syntax has one
 * @param syntax what is written between the marks
 */
record CallTokens(int openId, int closeId, OptionalInt quoteId, ToolSyntax syntax) {
    /** The marks, if the vocabulary has a special token for each. */
    static Optional<CallTokens> of(ToolSyntax syntax, Tokenizer tokenizer) {
        OptionalInt open = special(tokenizer, syntax.open());
        OptionalInt close = special(tokenizer, syntax.close());
        OptionalInt quote =
                syntax instanceof ToolSyntax.Braced braced
                        ? special(tokenizer, braced.quote())
                        : OptionalInt.empty();
        if (open.isEmpty()
                || close.isEmpty()
                || syntax instanceof ToolSyntax.Braced && quote.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new CallTokens(open.getAsInt(), close.getAsInt(), quote, syntax));
    }

    static OptionalInt special(Tokenizer tokenizer, String text) {
        OptionalInt id = tokenizer.tokenId(text);
        return id.isPresent() && tokenizer.isSpecial(id.getAsInt()) ? id : OptionalInt.empty();
    }

    boolean isMark(int token) {
        return token == openId
                || token == closeId
                || quoteId.isPresent() && token == quoteId.getAsInt();
    }

    CallParser parser(List<ToolDeclaration> tools, CallOutput output) {
        return switch (syntax) {
            case ToolSyntax.Tagged tagged -> new TaggedCallParser(tagged, tools, output);
            case ToolSyntax.Braced braced -> new BracedCallParser(braced, tools, output);
            case ToolSyntax.Json json -> new JsonCallParser(tools, output);
        };
    }

    /** The tokens with which the wanted call begins; none where no call is wanted. */
    int[] beginning(ForcedCall call, Tokenizer tokenizer) {
        TextSpan begin = new TextSpan(syntax.open() + beforeName(), true);
        return switch (call) {
            case ForcedCall.None() -> new int[0];
            case ForcedCall.Any() -> tokenizer.encodeSpans(List.of(begin));
            // A client chose the name: it must not become a special token.
            case ForcedCall.Named(String name) ->
                    tokenizer.encodeSpans(
                            List.of(
                                    begin,
                                    new TextSpan(spelled(name), false),
                                    new TextSpan(afterName(), true)));
        };
    }

    private String beforeName() {
        return switch (syntax) {
            case ToolSyntax.Tagged tagged ->
                    tagged.nameBegin().isEmpty() ? "" : "\n" + tagged.nameBegin();
            case ToolSyntax.Braced braced -> braced.prefix();
            case ToolSyntax.Json json -> "\n{\"name\": \"";
        };
    }

    private String spelled(String name) {
        return syntax instanceof ToolSyntax.Json ? JsonText.escaped(name) : name;
    }

    private String afterName() {
        return switch (syntax) {
            case ToolSyntax.Tagged tagged ->
                    tagged.nameEnd().isBlank() ? tagged.nameEnd() : tagged.nameEnd() + "\n";
            case ToolSyntax.Braced braced -> "{";
            case ToolSyntax.Json json -> "\", \"arguments\": ";
        };
    }
}
