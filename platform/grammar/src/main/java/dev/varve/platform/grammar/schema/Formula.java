package dev.varve.platform.grammar.schema;

/**
 * A set of values, in terms of schemas: a schema, a constant, the intersection or union of
 * formulas, or a complement. Created by {@link FormulaStore}, which keeps one object of each, so
 * that the same set of constraints is compiled once and recursion ends.
 */
final class Formula {
    /** Kind of a formula. */
    enum Kind {
        /** Any value. */
        TRUE,
        /** No value. */
        FALSE,
        /** The values of a schema. */
        SITE,
        /** One value. */
        CONSTANT,
        ALL_OF,
        ANY_OF,
        NOT
    }

    final int id;
    final Kind kind;
    final Formula[] parts;

    /** The {@link Subschema} or the {@link Constant}; null for other kinds. */
    final Object subject;

    Formula(int id, Kind kind, Formula[] parts, Object subject) {
        this.id = id;
        this.kind = kind;
        this.parts = parts;
        this.subject = subject;
    }

    boolean isTrue() {
        return kind == Kind.TRUE;
    }

    boolean isFalse() {
        return kind == Kind.FALSE;
    }

    /** Path of its first schema; empty if it has none. */
    String path() {
        if (subject instanceof Subschema site) {
            return site.path();
        }
        for (Formula part : parts) {
            String path = part.path();
            if (!path.isEmpty()) {
                return path;
            }
        }
        return "";
    }

    @Override
    public String toString() {
        return kind == Kind.SITE ? "#" + ((Subschema) subject).path() : kind + "@" + id;
    }
}
