package dev.varve.platform.grammar.gbnf;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Rewrites rules that refer to themselves only as their last part as repetitions, which can be
 * regular: {@code a ::= "x" a | "y"} as {@code a ::= "x"* "y"}.
 */
final class TailRecursionElimination {
    private final String rule;

    /** Parts before the reference to the rule itself. */
    private final List<GbnfNode> rounds = new ArrayList<>();

    /** The alternatives without a reference to the rule. */
    private final List<GbnfNode> exits = new ArrayList<>();

    private TailRecursionElimination(String rule) {
        this.rule = rule;
    }

    static void replaceIn(Map<String, GbnfNode> rules) {
        rules.replaceAll(TailRecursionElimination::replace);
    }

    private static GbnfNode replace(String rule, GbnfNode node) {
        TailRecursionElimination loops = new TailRecursionElimination(rule);
        if (!loops.mentions(node)
                || !loops.split(List.of(), node)
                || loops.rounds.isEmpty()
                || loops.exits.isEmpty()) {
            return node;
        }
        return new GbnfNode.Sequence(
                List.of(
                        new GbnfNode.Repeat(GbnfNode.choice(loops.rounds), 0, Integer.MAX_VALUE),
                        GbnfNode.choice(loops.exits)));
    }

    /** Splits the node after some parts; false if the rule also occurs elsewhere than at an end. */
    private boolean split(List<GbnfNode> before, GbnfNode node) {
        if (!mentions(node)) {
            exits.add(GbnfNode.sequence(append(before, node)));
            return true;
        }
        return switch (node) {
            case GbnfNode.Reference _ -> rounds.add(GbnfNode.sequence(before));
            case GbnfNode.Choice(List<GbnfNode> parts) ->
                    parts.stream().allMatch(part -> split(before, part));
            case GbnfNode.Sequence(List<GbnfNode> parts) -> {
                List<GbnfNode> first = parts.subList(0, parts.size() - 1);
                yield first.stream().noneMatch(this::mentions)
                        && split(append(before, new GbnfNode.Sequence(first)), parts.getLast());
            }
            case GbnfNode.Repeat(GbnfNode part, int least, int most) ->
                    most == 1
                            && (least == 1 || exits.add(GbnfNode.sequence(before)))
                            && split(before, part);
            case GbnfNode.Literal _, GbnfNode.Characters _ ->
                    throw new IllegalStateException(
                            "expected a node that refers to a rule, found " + node);
        };
    }

    private static List<GbnfNode> append(List<GbnfNode> before, GbnfNode node) {
        List<GbnfNode> all = new ArrayList<>(before);
        all.add(node);
        return all;
    }

    private boolean mentions(GbnfNode node) {
        boolean[] found = {false};
        node.references(reference -> found[0] |= reference.rule().equals(rule));
        return found[0];
    }
}
