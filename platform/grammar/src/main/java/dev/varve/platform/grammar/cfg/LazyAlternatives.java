package dev.varve.platform.grammar.cfg;

import java.util.List;

/**
 * Makes the alternatives of a nonterminal when they are needed first, for grammars with many more
 * nonterminals than any text meets, such as one for each set of properties that were seen.
 *
 * <p>It may ask the builder for further nonterminals with expansions of their own, not for new
 * terminals or rules. At least one alternative must have a text, and none the empty one.
 */
@FunctionalInterface
public interface LazyAlternatives {
    /** The alternatives: symbols of the builder, in turn. */
    List<int[]> alternatives();
}
