package dev.varve.platform.grammar.pattern;

import java.util.BitSet;
import java.util.function.IntPredicate;

/** Finds the ends of a part of a pattern by trying everything. For short texts. */
final class PlainMatcher {
    private final int[] text;

    private PlainMatcher(String text) {
        this.text = text.codePoints().toArray();
    }

    static boolean finds(PatternNode pattern, String text) {
        PlainMatcher matcher = new PlainMatcher(text);
        BitSet begins = new BitSet();
        begins.set(0, matcher.text.length + 1);
        return !matcher.ends(pattern, begins).isEmpty();
    }

    private BitSet ends(PatternNode node, BitSet begins) {
        return switch (node) {
            case PatternNode.Characters characters -> {
                BitSet ends = new BitSet();
                begins.stream()
                        .filter(at -> at < text.length && characters.set().contains(text[at]))
                        .forEach(at -> ends.set(at + 1));
                yield ends;
            }
            case PatternNode.Sequence sequence -> {
                BitSet ends = begins;
                for (PatternNode part : sequence.parts()) {
                    ends = ends(part, ends);
                }
                yield ends;
            }
            case PatternNode.Choice choice -> {
                BitSet ends = new BitSet();
                choice.parts().forEach(part -> ends.or(ends(part, begins)));
                yield ends;
            }
            case PatternNode.Repeat repeat -> repeated(repeat, begins);
            case PatternNode.Begin _ -> filter(begins, at -> at == 0);
            case PatternNode.End _ -> filter(begins, at -> at == text.length);
            case PatternNode.Behind behind ->
                    filter(begins, at -> at > 0 && behind.set().contains(text[at - 1]));
            case PatternNode.Ahead ahead ->
                    filter(
                            begins,
                            at -> ends(ahead.part(), only(at)).isEmpty() == ahead.negative());
        };
    }

    private BitSet repeated(PatternNode.Repeat repeat, BitSet begins) {
        BitSet at = begins;
        for (int count = 0; count < repeat.least(); count++) {
            at = ends(repeat.part(), at);
        }
        BitSet all = (BitSet) at.clone();
        for (int count = repeat.least(); count < repeat.most(); count++) {
            at = ends(repeat.part(), at);
            int known = all.cardinality();
            all.or(at);
            if (all.cardinality() == known) {
                break;
            }
        }
        return all;
    }

    private static BitSet only(int at) {
        BitSet set = new BitSet();
        set.set(at);
        return set;
    }

    private static BitSet filter(BitSet begins, IntPredicate qualifies) {
        BitSet ends = new BitSet();
        begins.stream().filter(qualifies).forEach(ends::set);
        return ends;
    }
}
