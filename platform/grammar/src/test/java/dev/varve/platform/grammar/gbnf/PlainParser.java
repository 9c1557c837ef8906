package dev.varve.platform.grammar.gbnf;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds the ends of a rule's texts: tries everything until it finds nothing more. For short texts.
 */
final class PlainParser {
    private final Map<String, GbnfNode> rules;
    private final String text;

    /** The known ends of each rule, by where it begins. Each round adds ends. */
    private final Map<String, BitSet[]> known = new HashMap<>();

    private PlainParser(Map<String, GbnfNode> rules, String text) {
        this.rules = rules;
        this.text = text;
    }

    static boolean matches(Map<String, GbnfNode> rules, String text) {
        PlainParser parser = new PlainParser(rules, text);
        parser.solve();
        return parser.known.get("root")[0].get(text.length());
    }

    private void solve() {
        for (String rule : rules.keySet()) {
            BitSet[] ends = new BitSet[text.length() + 1];
            for (int at = 0; at < ends.length; at++) {
                ends[at] = new BitSet();
            }
            known.put(rule, ends);
        }
        boolean changed = true;
        while (changed) {
            changed = false;
            for (Map.Entry<String, GbnfNode> rule : rules.entrySet()) {
                for (int at = 0; at <= text.length(); at++) {
                    BitSet begin = new BitSet();
                    begin.set(at);
                    BitSet ends = known.get(rule.getKey())[at];
                    int before = ends.cardinality();
                    ends.or(ends(rule.getValue(), begin));
                    changed |= ends.cardinality() > before;
                }
            }
        }
    }

    private BitSet ends(GbnfNode node, BitSet begins) {
        BitSet ends = new BitSet();
        switch (node) {
            case GbnfNode.Literal(String value) ->
                    begins.stream()
                            .filter(at -> text.startsWith(value, at))
                            .forEach(at -> ends.set(at + value.length()));
            case GbnfNode.Characters(var set) ->
                    begins.stream()
                            .filter(at -> at < text.length() && set.contains(text.charAt(at)))
                            .forEach(at -> ends.set(at + 1));
            case GbnfNode.Sequence sequence -> {
                ends.or(begins);
                for (GbnfNode part : sequence.parts()) {
                    BitSet next = ends(part, ends);
                    ends.clear();
                    ends.or(next);
                }
            }
            case GbnfNode.Choice choice ->
                    choice.parts().forEach(part -> ends.or(ends(part, begins)));
            case GbnfNode.Repeat repeat -> repeat(repeat, begins, ends);
            case GbnfNode.Reference reference ->
                    begins.stream().forEach(at -> ends.or(known.get(reference.rule())[at]));
        }
        return ends;
    }

    private void repeat(GbnfNode.Repeat repeat, BitSet begins, BitSet ends) {
        BitSet at = begins;
        int most = Math.min(repeat.most(), repeat.least() + text.length() + 1);
        for (int count = 0; count <= most; count++) {
            if (count >= repeat.least()) {
                ends.or(at);
            }
            at = ends(repeat.part(), at);
        }
    }
}
