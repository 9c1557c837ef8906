package dev.varve.platform.chat;

import dev.varve.platform.grammar.GrammarState;
import dev.varve.platform.grammar.TokenGrammar;
import dev.varve.platform.sampling.TokenMask;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;

/** Constrains only the text of calls. */
final class ToolCallConstraint implements ContentConstraint {

    /** Start state of every call: all calls of a response share its work budget. */
    private final GrammarState start;

    private final CallOpening opening;
    private final Tokenizer tokenizer;

    /** The call that is open. */
    private Optional<GrammarConstraint> call = Optional.empty();

    /**
     * @param grammar grammar of a call after its open mark
     */
    ToolCallConstraint(TokenGrammar grammar, CallOpening opening, Tokenizer tokenizer) {
        start = grammar.start();
        this.opening = opening;
        this.tokenizer = tokenizer;
    }

    @Override
    public boolean constrains() {
        return true;
    }

    @Override
    public boolean isWhole() {
        return false;
    }

    @Override
    public boolean allows(int token) {
        return call.isEmpty()
                ? opening.opens(token).map(behind -> opened(behind).isPresent()).orElse(true)
                : call.get().allows(token);
    }

    @Override
    public TokenMask mask() {
        return call.isPresent()
                ? call.get().mask()
                : TokenMask.ofTokens(
                        IntStream.range(0, tokenizer.vocabularySize())
                                .filter(this::allows)
                                .toArray());
    }

    @Override
    public int[] forced(int most) {
        return call.isEmpty() ? NOTHING : call.get().forced(most);
    }

    @Override
    public void accept(int token) {
        if (call.isPresent()) {
            call.get().accept(token);
            call = call.filter(open -> !open.mustEnd());
        } else {
            call = opening.opens(token).flatMap(this::opened);
            opening.accept(token);
        }
    }

    /** Returns the state of a call that begins with a text; empty if no call does. */
    private Optional<GrammarConstraint> opened(String text) {
        GrammarConstraint open = new GrammarConstraint(start, tokenizer.endTokens());
        for (int token : tokenizer.encodeContinuation(text, false)) {
            if (!open.allows(token)) {
                return Optional.empty();
            }
            open.accept(token);
        }
        return Optional.of(open);
    }

    /**
     * Checks tokens only up to the end of a call; those behind it are checked once the call is
     * over.
     */
    @Override
    public int allowed(int[] tokens) {
        if (call.isPresent()) {
            return call.get().allowed(tokens);
        }
        if (!(opening instanceof CallOpening.BySpecial)) {
            return tokens.length > 0 && allows(tokens[0]) ? 1 : 0;
        }
        for (int i = 0; i < tokens.length; i++) {
            if (opening.opens(tokens[i]).isPresent()) {
                int[] behind = Arrays.copyOfRange(tokens, i + 1, tokens.length);
                return i + 1 + opened("").orElseThrow().allowed(behind);
            }
        }
        return tokens.length;
    }
}
