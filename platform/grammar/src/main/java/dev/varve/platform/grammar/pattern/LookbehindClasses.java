package dev.varve.platform.grammar.pattern;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Classes of the character before a position, as far as a pattern distinguishes them: no character
 * at all, or one of some sets that are disjoint and cover every character.
 */
final class LookbehindClasses {
    /** Class of the position at which the text begins. */
    static final int NONE = 0;

    private static final int MOST = 16;

    private final List<CodePointSet> cells;

    private LookbehindClasses(List<CodePointSet> cells) {
        this.cells = cells;
    }

    static LookbehindClasses of(PatternNode pattern) {
        List<CodePointSet> cells = List.of(CodePointSet.ALL);
        List<CodePointSet> sets = new ArrayList<>();
        collect(pattern, sets);
        for (CodePointSet set : sets) {
            cells = split(cells, set);
        }
        return new LookbehindClasses(cells);
    }

    private static void collect(PatternNode node, List<CodePointSet> into) {
        switch (node) {
            case PatternNode.Behind behind -> into.add(behind.set());
            case PatternNode.Sequence sequence ->
                    sequence.parts().forEach(part -> collect(part, into));
            case PatternNode.Choice choice -> choice.parts().forEach(part -> collect(part, into));
            case PatternNode.Repeat repeat -> collect(repeat.part(), into);
            case PatternNode.Ahead ahead -> collect(ahead.part(), into);
            case PatternNode.Characters _, PatternNode.Begin _, PatternNode.End _ -> {}
        }
    }

    private static List<CodePointSet> split(List<CodePointSet> cells, CodePointSet set) {
        List<CodePointSet> parts = new ArrayList<>();
        for (CodePointSet cell : cells) {
            parts.add(cell.intersect(set));
            parts.add(cell.minus(set));
        }
        parts.removeIf(CodePointSet::isEmpty);
        if (parts.size() > MOST) {
            throw new PatternException(0, "the pattern has too many different lookbehinds");
        }
        return parts;
    }

    /** Number of classes. */
    int count() {
        return cells.size() + 1;
    }

    /** Classes of the characters of a set. */
    IntStream in(CodePointSet set) {
        return IntStream.range(1, count())
                .filter(kind -> !cells.get(kind - 1).intersect(set).isEmpty());
    }

    /** The characters of the classes that qualify. */
    CodePointSet characters(IntPredicate qualifies) {
        return CodePointSet.union(
                IntStream.range(1, count())
                        .filter(qualifies)
                        .mapToObj(kind -> cells.get(kind - 1))
                        .toList());
    }
}
