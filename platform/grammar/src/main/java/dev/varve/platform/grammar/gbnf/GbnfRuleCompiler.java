package dev.varve.platform.grammar.gbnf;

import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.pattern.StringEscaping;
import dev.varve.platform.grammar.pattern.TextRegexBuilder;
import dev.varve.platform.grammar.regex.Regex;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Adds rules to a builder: regular parts as terminals, all others as nonterminals. */
final class GbnfRuleCompiler {
    private final GrammarBuilder builder;
    private final Map<String, GbnfNode> rules;
    private final GbnfTerminals terminals;
    private final Map<String, Integer> symbols = new HashMap<>();
    private final Deque<String> open = new ArrayDeque<>();

    GbnfRuleCompiler(GrammarBuilder builder, Map<String, GbnfNode> rules) {
        this.builder = builder;
        this.rules = rules;
        terminals =
                new GbnfTerminals(
                        new TextRegexBuilder(builder.store(), StringEscaping.PLAIN), rules);
    }

    /** Returns the symbol of a rule; the rules that it needs were added before. */
    int of(String rule) {
        int symbol = reference(rule);
        while (!open.isEmpty()) {
            String name = open.remove();
            alternatives(rules.get(name)).forEach(each -> builder.rule(symbols.get(name), each));
        }
        return symbol;
    }

    private int reference(String rule) {
        Integer known = symbols.get(rule);
        if (known == null) {
            Optional<Regex> regex = terminals.of(new GbnfNode.Reference(rule, 0));
            known = regex.map(builder::terminal).orElseGet(() -> builder.nonterminal(rule));
            symbols.put(rule, known);
            if (regex.isEmpty()) {
                open.add(rule);
            }
        }
        return known;
    }

    /** Returns the symbols of each alternative; the regular ones are joined to one alternative. */
    private List<int[]> alternatives(GbnfNode node) {
        if (!(node instanceof GbnfNode.Choice(List<GbnfNode> parts))) {
            return List.of(sequence(node));
        }
        List<int[]> all = new ArrayList<>();
        List<Regex> regular = new ArrayList<>();
        for (GbnfNode part : parts) {
            terminals.of(part).ifPresentOrElse(regular::add, () -> all.add(sequence(part)));
        }
        if (!regular.isEmpty()) {
            all.add(new int[] {builder.terminal(builder.store().or(regular))});
        }
        return all;
    }

    /** Returns the symbols of a part in order; adjacent regular parts are one terminal. */
    private int[] sequence(GbnfNode node) {
        if (!(node instanceof GbnfNode.Sequence(List<GbnfNode> parts))) {
            return new int[] {symbol(node)};
        }
        List<Integer> all = new ArrayList<>();
        Regex regular = builder.store().empty();
        for (GbnfNode part : parts) {
            Optional<Regex> regex = terminals.of(part);
            if (regex.isPresent()) {
                regular = builder.store().concat(regular, regex.get());
            } else {
                add(regular, all);
                regular = builder.store().empty();
                all.add(symbol(part));
            }
        }
        add(regular, all);
        return all.stream().mapToInt(Integer::intValue).toArray();
    }

    private void add(Regex regular, List<Integer> into) {
        if (regular != builder.store().empty()) {
            into.add(builder.terminal(regular));
        }
    }

    private int symbol(GbnfNode node) {
        Optional<Regex> regex = terminals.of(node);
        if (regex.isPresent()) {
            return builder.terminal(regex.get());
        }
        return switch (node) {
            case GbnfNode.Literal(String text) -> builder.literal(text);
            case GbnfNode.Reference reference -> reference(reference.rule());
            case GbnfNode.Sequence _ -> builder.sequence("group", sequence(node));
            case GbnfNode.Repeat(GbnfNode part, int least, int most) ->
                    builder.repeat(symbol(part), least, most);
            case GbnfNode.Choice _ -> {
                int symbol = builder.nonterminal("choice");
                alternatives(node).forEach(each -> builder.rule(symbol, each));
                yield symbol;
            }
            case GbnfNode.Characters _ -> throw new IllegalStateException("a class is regular");
        };
    }
}
