package dev.varve.platform.grammar.regex;

/**
 * An expression over bytes, created and owned by a {@link RegexStore}. Expressions of one store
 * that were built in the same way are the same object; equal languages may still be different
 * objects.
 */
public final class Regex {
    static final int UNLIMITED = Integer.MAX_VALUE;

    /** Kind of an expression. */
    enum Kind {
        NOTHING,
        EMPTY,
        BYTES,
        CONCAT,
        OR,
        AND,
        NOT,
        REPEAT,
        MACHINE,
        LOOP
    }

    /** Whether the expression matches any text. */
    enum Life {
        UNKNOWN,
        ALIVE,
        DEAD
    }

    final int id;
    final Kind kind;

    /** Its operands; for a loop its definition, once that is known. */
    Regex[] parts;

    final ByteSet bytes;
    final int least;
    final int most;
    final AutomatonState machine;
    final boolean nullable;

    /** Whether it contains a loop. */
    final boolean loops;

    int depth;

    Life life;

    Regex(int id, RegexKey shape, boolean nullable, Life life) {
        this.id = id;
        this.kind = shape.kind();
        this.parts = shape.parts();
        this.bytes = shape.bytes();
        this.least = shape.least();
        this.most = shape.most();
        this.machine = shape.machine();
        this.nullable = nullable;
        this.loops = shape.loops();
        this.depth = shape.depth();
        this.life = life;
    }

    /** Returns whether it matches the empty text. */
    public boolean isNullable() {
        return nullable;
    }

    /** Returns whether its form alone proves that it matches no text. */
    public boolean isNothing() {
        return kind == Kind.NOTHING;
    }

    @Override
    public String toString() {
        return RegexText.of(this);
    }
}
