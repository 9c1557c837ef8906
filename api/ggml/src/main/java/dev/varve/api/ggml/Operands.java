package dev.varve.api.ggml;

import java.util.Arrays;

/**
 * Checks of an operator's operands that ggml would assert, ending the process. Messages begin with
 * ggml's name of the operator and describe the operands.
 */
final class Operands {
    private Operands() {}

    /** A stride cannot address single elements of a block. */
    static void requireMovable(String op, Tensor a, boolean keepsRows) {
        require(keepsRows || !a.type().isQuantized(), op, a);
    }

    static void requireSections(int[] sections, long rowLength) {
        boolean valid = sections.length == 4;
        long sum = 0;
        for (int i = 0; valid && i < 4; i++) {
            valid = sections[i] >= 0;
            sum += sections[i];
        }
        if (!valid || sum > rowLength || sum == sections[3]) {
            throw new IllegalArgumentException(
                    "rope_multi: expected 4 sections of up to "
                            + rowLength
                            + " pairs, not all of the first three 0, found "
                            + Arrays.toString(sections));
        }
    }

    static boolean canConvert(Tensor source, Tensor target) {
        if (source.type() == target.type()) {
            return !source.type().isQuantized() || source.isContiguous() && target.isContiguous();
        }
        boolean blocks = source.type().isQuantized() || target.type().isQuantized();
        boolean wholeRows =
                source.hasContiguousRows() && source.ne(0) % target.type().blockSize() == 0;
        return (!blocks || target.isPacked() && wholeRows)
                && source.type().isWeightType()
                && target.type().isWritable()
                && (source.type() == GgmlType.F32
                        || target.type() == GgmlType.F32
                        || source.type().isFloat() && target.type().isFloat());
    }

    static void requireSize(String op, Tensor a, long... ne) {
        try {
            GgmlContext.requireSize(a.type(), ne);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(op + " of " + a + ": " + e.getMessage(), e);
        }
    }

    static void requireReshape(String op, Tensor a, long... ne) {
        requireSize(op, a, ne);
        long elements = 1;
        for (long extent : ne) {
            elements *= extent;
        }
        if (elements != a.elements()) {
            throw new IllegalArgumentException(
                    op
                            + ": expected "
                            + a.elements()
                            + " elements of "
                            + a
                            + ", found "
                            + Arrays.toString(ne));
        }
    }

    /**
     * Checks that all elements of a view lie in the source.
     *
     * @return the strides of dimensions 1 to 3
     */
    static long[] requireInside(Tensor a, Extents extents, Strides strides, long offset) {
        long[] ne = extents.toArray();
        requireSize("view", a, ne);
        long[] nb = strides.over(a.type(), extents);
        long span = a.type().rowBytes(ne[0]);
        long packed = span;
        boolean valid = offset >= 0;
        try {
            for (int i = 1; i < 4; i++) {
                valid &= nb[i - 1] >= 0;
                span = Math.addExact(span, Math.multiplyExact(ne[i] - 1, nb[i - 1]));
                packed *= ne[i];
            }
        } catch (ArithmeticException e) {
            valid = false;
        }
        // ggml also requires that as many bytes without overlap fit before the end of the tensor
        // that owns the data.
        if (!valid
                || offset > a.bytes()
                || span > a.bytes() - offset
                || packed > a.bytesToEnd() - offset) {
            throw new IllegalArgumentException(
                    "view "
                            + extents
                            + " of "
                            + a
                            + " at byte "
                            + offset
                            + " spans "
                            + Math.max(span, packed)
                            + " of "
                            + a.bytes()
                            + " bytes");
        }
        return nb;
    }

    static void requireBroadcast(String op, Tensor a, Tensor b) {
        boolean fits = true;
        for (int i = 0; i < 4; i++) {
            fits &= a.ne(i) % b.ne(i) == 0;
        }
        require(fits && a.hasContiguousRows() && b.hasContiguousRows(), op, a, b);
        requireF32(op, a);
        requireF32(op, b);
    }

    static void requireSameRows(String op, Tensor a, Tensor b) {
        requireRows(op, a);
        requireRows(op, b);
        boolean same = a.hasEvenRows() && b.hasEvenRows();
        for (int i = 0; i < 4; i++) {
            same &= a.ne(i) == b.ne(i);
        }
        require(same, op, a, b);
    }

    static void requireRows(String op, Tensor a) {
        requireF32(op, a);
        require(a.hasContiguousRows(), op, a);
    }

    static void requireComputable(String op, Tensor a) {
        if (!a.type().isWeightType()) {
            throw new IllegalArgumentException(op + ": ggml does not compute with " + a);
        }
    }

    static void requireWritable(String op, Tensor a) {
        if (!a.type().isWritable()) {
            throw new IllegalArgumentException(op + ": ggml does not write rows of " + a);
        }
    }

    static void requireF32(String op, Tensor a) {
        requireType(op, a, GgmlType.F32);
    }

    static void requireType(String op, Tensor a, GgmlType type) {
        if (a.type() != type) {
            throw new IllegalArgumentException(op + ": expected " + type + ", found " + a);
        }
    }

    static void require(boolean valid, String op, Tensor... operands) {
        if (!valid) {
            StringBuilder message = new StringBuilder(op).append(": operands do not fit:");
            for (Tensor operand : operands) {
                message.append(' ')
                        .append(operand)
                        .append(operand.isContiguous() ? "" : " (strided)")
                        .append(';');
            }
            throw new IllegalArgumentException(message.toString());
        }
    }
}
