package dev.varve.platform.chat;

import dev.varve.platform.grammar.GrammarState;
import dev.varve.platform.grammar.TokenGrammar;
import dev.varve.platform.sampling.TokenMask;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/** Constrains only the text after the mark that opens a call. */
final class ToolCallConstraint implements ContentConstraint {

    /** Start state of every call: all calls of a response share its work budget. */
    private final GrammarState start;

    private final int openId;
    private final Set<Integer> endTokens;

    /** The call that is open. */
    private Optional<GrammarConstraint> call = Optional.empty();

    /**
     * @param grammar grammar of a call after its open mark
     */
    ToolCallConstraint(TokenGrammar grammar, int openId, Set<Integer> endTokens) {
        start = grammar.start();
        this.openId = openId;
        this.endTokens = endTokens;
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
        return call.isEmpty() || call.get().allows(token);
    }

    @Override
    public TokenMask mask() {
        return call.orElseThrow().mask();
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
        } else if (token == openId) {
            call = Optional.of(new GrammarConstraint(start, endTokens));
        }
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
        for (int i = 0; i < tokens.length; i++) {
            if (tokens[i] == openId) {
                int[] behind = Arrays.copyOfRange(tokens, i + 1, tokens.length);
                return i + 1 + new GrammarConstraint(start, endTokens).allowed(behind);
            }
        }
        return tokens.length;
    }
}
