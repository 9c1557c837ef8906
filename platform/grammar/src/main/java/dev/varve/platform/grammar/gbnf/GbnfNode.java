package dev.varve.platform.grammar.gbnf;

import dev.varve.platform.grammar.pattern.CodePointSet;

import java.util.List;
import java.util.function.Consumer;

/** A part of a rule. */
sealed interface GbnfNode {
    /** The empty text. */
    GbnfNode EMPTY = new Sequence(List.of());

    /** These characters. */
    record Literal(String text) implements GbnfNode {}

    /** One character of a set. */
    record Characters(CodePointSet set) implements GbnfNode {}

    /** All parts in order. */
    record Sequence(List<GbnfNode> parts) implements GbnfNode {
        public Sequence {
            parts = List.copyOf(parts);
        }
    }

    /** Any of the parts. */
    record Choice(List<GbnfNode> parts) implements GbnfNode {
        public Choice {
            parts = List.copyOf(parts);
        }
    }

    /** From {@code least} to {@code most} times; {@link Integer#MAX_VALUE} is no limit. */
    record Repeat(GbnfNode part, int least, int most) implements GbnfNode {}

    /** A reference to a rule, with its position in the text. */
    record Reference(String rule, int index) implements GbnfNode {}

    /** Passes the rules that a part refers to to a visitor. */
    default void references(Consumer<Reference> visitor) {
        switch (this) {
            case Literal _, Characters _ -> {}
            case Sequence(List<GbnfNode> parts) -> parts.forEach(part -> part.references(visitor));
            case Choice(List<GbnfNode> parts) -> parts.forEach(part -> part.references(visitor));
            case Repeat repeat -> repeat.part.references(visitor);
            case Reference reference -> visitor.accept(reference);
        }
    }

    /** All parts in order; a single one unchanged. */
    static GbnfNode sequence(List<GbnfNode> parts) {
        return parts.size() == 1 ? parts.getFirst() : new Sequence(parts);
    }

    /** Any of the parts; a single one unchanged. */
    static GbnfNode choice(List<GbnfNode> parts) {
        return parts.size() == 1 ? parts.getFirst() : new Choice(parts);
    }
}
