package dev.varve.platform.grammar.pattern;

import java.util.List;

/** A part of a pattern. */
sealed interface PatternNode {
    /** Whether it looks at what stands beside it, or holds a part that does. */
    boolean looksAround();

    /** One character. */
    record Characters(CodePointSet set) implements PatternNode {
        @Override
        public boolean looksAround() {
            return false;
        }
    }

    /** All of them in turn; none is the empty text. */
    record Sequence(List<PatternNode> parts, boolean looksAround) implements PatternNode {
        Sequence(List<PatternNode> parts) {
            this(List.copyOf(parts), any(parts));
        }
    }

    /** Any of them. */
    record Choice(List<PatternNode> parts, boolean looksAround) implements PatternNode {
        Choice(List<PatternNode> parts) {
            this(List.copyOf(parts), any(parts));
        }
    }

    /** From {@code least} to {@code most} times; {@link Integer#MAX_VALUE} is no limit. */
    record Repeat(PatternNode part, int least, int most) implements PatternNode {
        @Override
        public boolean looksAround() {
            return part.looksAround();
        }
    }

    /** Nothing stands before. */
    record Begin() implements PatternNode {
        @Override
        public boolean looksAround() {
            return true;
        }
    }

    /** Nothing follows. */
    record End() implements PatternNode {
        @Override
        public boolean looksAround() {
            return true;
        }
    }

    /** What follows begins with a part, or does not. */
    record Ahead(PatternNode part, boolean negative) implements PatternNode {
        @Override
        public boolean looksAround() {
            return true;
        }
    }

    /** There is a character before, and it is one of a set. */
    record Behind(CodePointSet set) implements PatternNode {
        @Override
        public boolean looksAround() {
            return true;
        }
    }

    private static boolean any(List<PatternNode> parts) {
        return parts.stream().anyMatch(PatternNode::looksAround);
    }
}
