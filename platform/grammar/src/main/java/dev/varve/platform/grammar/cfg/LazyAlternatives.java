package dev.varve.platform.grammar.cfg;

import java.util.List;

/**
 * Creates the alternatives of a nonterminal when they are first needed, for grammars with many more
 * nonterminals than any text reaches, such as one for each set of properties that were read.
 *
 * <p>It may create further nonterminals with expansions of their own, but no new terminals or
 * rules. At least one alternative must match a text, and none the empty one.
 */
@FunctionalInterface
public interface LazyAlternatives {
    /** Returns the alternatives, each a list of symbols of the builder in order. */
    List<int[]> alternatives();
}
