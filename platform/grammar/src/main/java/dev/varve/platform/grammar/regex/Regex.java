package dev.varve.platform.grammar.regex;

/**
 * An expression over bytes, made and owned by a {@link RegexStore}. Expressions of one store that
 * were built alike are the same object; equal languages may still be different objects.
 */
public final class Regex {
    static final int UNLIMITED = Integer.MAX_VALUE;

    /** What an expression is made of. */
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

    /** Whether any text is in the language. */
    enum Life {
        UNKNOWN,
        ALIVE,
        DEAD
    }

    final int id;
    final Kind kind;

    /** What it is made of; of a loop what it stands for, once that is known. */
    Regex[] parts;

    final ByteSet bytes;
    final int least;
    final int most;
    final AutomatonState machine;
    final boolean nullable;

    /** Whether there is a loop in it. */
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

    /** Whether the empty text belongs to it. */
    public boolean isNullable() {
        return nullable;
    }

    /** Whether it is known to have no text by its form alone. */
    public boolean isNothing() {
        return kind == Kind.NOTHING;
    }

    @Override
    public String toString() {
        return RegexText.of(this);
    }
}
