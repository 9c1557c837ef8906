package dev.varve.platform.grammar.gbnf;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.regex.WorkBudget;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads grammars in GBNF: rules {@code name ::= ...} of literals, classes of characters, groups,
 * alternatives and repetitions. A text of the grammar is one of the rule {@code root}. Recursion of
 * any kind is permitted.
 *
 * <p>Beyond the original an alternative may begin with its bar on a line of its own, and names may
 * have underscores. Tokens in place of characters are rejected.
 */
public final class Gbnf {
    private static final String ROOT = "root";

    private Gbnf() {}

    /**
     * Adds the rules of a grammar to a builder.
     *
     * @return the symbol of {@code root}
     * @throws GrammarException if the text is malformed, with line and column; or if there is no
     *     root, or no text of it
     */
    public static int compile(String text, GrammarBuilder builder) {
        Map<String, GbnfNode> rules = GbnfParser.parse(text);
        if (!rules.containsKey(ROOT)) {
            throw new GrammarException("", "the grammar has no rule " + ROOT);
        }
        if (!productive(rules, builder.store().budget()).contains(ROOT)) {
            throw new GrammarException("", "the rule " + ROOT + " matches no finite text");
        }
        TailRecursionElimination.replaceIn(rules);
        return new GbnfRuleCompiler(builder, rules).of(ROOT);
    }

    /** Returns the rules that match some text. */
    private static Set<String> productive(Map<String, GbnfNode> rules, WorkBudget budget) {
        Set<String> productive = new HashSet<>();
        List<String> open = new ArrayList<>(rules.keySet());
        // Rules mostly stand just before or just after those that they refer to: alternating both
        // directions converges soon.
        boolean changed = true;
        while (changed) {
            budget.spend(open.size());
            Collections.reverse(open);
            changed =
                    open.removeIf(
                            rule ->
                                    isProductive(rules.get(rule), productive)
                                            && productive.add(rule));
        }
        return productive;
    }

    private static boolean isProductive(GbnfNode node, Set<String> productive) {
        return switch (node) {
            case GbnfNode.Literal _ -> true;
            case GbnfNode.Characters(var set) -> !set.isEmpty();
            case GbnfNode.Sequence(List<GbnfNode> parts) ->
                    parts.stream().allMatch(part -> isProductive(part, productive));
            case GbnfNode.Choice(List<GbnfNode> parts) ->
                    parts.stream().anyMatch(part -> isProductive(part, productive));
            case GbnfNode.Repeat(GbnfNode part, int least, int _) ->
                    least == 0 || isProductive(part, productive);
            case GbnfNode.Reference reference -> productive.contains(reference.rule());
        };
    }
}
