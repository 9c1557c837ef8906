package dev.varve.platform.grammar.regex;

import java.util.Arrays;
import java.util.Objects;

/** Identity of an expression: the key under which a store keeps it. */
record RegexKey(
        Regex.Kind kind,
        Regex[] parts,
        ByteSet bytes,
        int least,
        int most,
        AutomatonState machine) {
    private static final Regex[] NONE = {};

    static RegexKey of(Regex.Kind kind, Regex... parts) {
        return new RegexKey(kind, parts, ByteSet.NONE, 0, 0, null);
    }

    static RegexKey of(ByteSet bytes) {
        return new RegexKey(Regex.Kind.BYTES, NONE, bytes, 0, 0, null);
    }

    static RegexKey repeat(Regex part, int least, int most) {
        return new RegexKey(Regex.Kind.REPEAT, new Regex[] {part}, ByteSet.NONE, least, most, null);
    }

    static RegexKey of(AutomatonState machine) {
        return new RegexKey(Regex.Kind.MACHINE, NONE, ByteSet.NONE, 0, 0, machine);
    }

    /** Returns the key of an expression. */
    static RegexKey of(Regex regex) {
        return new RegexKey(
                regex.kind, regex.parts, regex.bytes, regex.least, regex.most, regex.machine);
    }

    /** Recursion depth of its derivation, which stops at a part that reads a byte. */
    int depth() {
        int deepest = 0;
        for (Regex part : parts) {
            deepest = Math.max(deepest, part.depth);
            if (kind == Regex.Kind.CONCAT && !part.nullable) {
                break;
            }
        }
        return deepest + 1;
    }

    /** Returns whether it contains a loop. */
    boolean loops() {
        boolean loops = kind == Regex.Kind.LOOP;
        for (Regex part : parts) {
            loops |= part.loops;
        }
        return loops;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RegexKey shape
                && kind == shape.kind
                && least == shape.least
                && most == shape.most
                && bytes.equals(shape.bytes)
                && Objects.equals(machine, shape.machine)
                && sameParts(shape.parts);
    }

    private boolean sameParts(Regex[] others) {
        if (parts.length != others.length) {
            return false;
        }
        for (int i = 0; i < parts.length; i++) {
            if (parts[i] != others[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        int hash = 31 * kind.ordinal() + least;
        hash = 31 * hash + most;
        hash = 31 * hash + bytes.hashCode();
        hash = 31 * hash + Objects.hashCode(machine);
        for (Regex part : parts) {
            hash = 31 * hash + part.id;
        }
        return hash;
    }

    @Override
    public String toString() {
        return kind + " " + Arrays.toString(parts);
    }
}
