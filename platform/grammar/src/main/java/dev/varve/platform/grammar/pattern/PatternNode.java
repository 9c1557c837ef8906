package dev.varve.platform.grammar.pattern;

import java.util.List;

/** A part of a pattern. */
sealed interface PatternNode {
    /** Returns whether the part is a lookaround, or contains one. */
    boolean hasLookaround();

    /** One character. */
    record Characters(CodePointSet set) implements PatternNode {
        @Override
        public boolean hasLookaround() {
            return false;
        }
    }

    /** All parts in order; an empty list is the empty text. */
    record Sequence(List<PatternNode> parts, boolean hasLookaround) implements PatternNode {
        Sequence(List<PatternNode> parts) {
            this(List.copyOf(parts), any(parts));
        }
    }

    /** Any of the parts. */
    record Choice(List<PatternNode> parts, boolean hasLookaround) implements PatternNode {
        Choice(List<PatternNode> parts) {
            this(List.copyOf(parts), any(parts));
        }
    }

    /** From {@code least} to {@code most} times; {@link Integer#MAX_VALUE} is no limit. */
    record Repeat(PatternNode part, int least, int most) implements PatternNode {
        @Override
        public boolean hasLookaround() {
            return part.hasLookaround();
        }
    }

    /** The beginning of the text. */
    record Begin() implements PatternNode {
        @Override
        public boolean hasLookaround() {
            return true;
        }
    }

    /** The end of the text. */
    record End() implements PatternNode {
        @Override
        public boolean hasLookaround() {
            return true;
        }
    }

    /** Lookahead: the following text begins with a part, or does not. */
    record Ahead(PatternNode part, boolean negative) implements PatternNode {
        @Override
        public boolean hasLookaround() {
            return true;
        }
    }

    /** Lookbehind: the preceding character exists and is in a set. */
    record Behind(CodePointSet set) implements PatternNode {
        @Override
        public boolean hasLookaround() {
            return true;
        }
    }

    private static boolean any(List<PatternNode> parts) {
        return parts.stream().anyMatch(PatternNode::hasLookaround);
    }
}
