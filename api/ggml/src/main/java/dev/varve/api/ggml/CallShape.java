package dev.varve.api.ggml;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Numbers of arguments with which {@link NativeCall} calls functions: words of 64 bits for whole
 * numbers and pointers, then floats. Java creates about ten classes for each combination of types
 * that is called, 10 ms of processor time at every start, so functions share a few shapes that have
 * room for all their arguments.
 *
 * <p>The calling conventions of Linux (System V on x86-64, AAPCS64 on AArch64) make that safe:
 *
 * <ul>
 *   <li>A whole number of fewer bits has a register or a stack slot of 64 bits of its own, and the
 *       function ignores the bits above. Those of a result are undefined and cut off.
 *   <li>Words and floats have registers of their own kind, numbered apart.
 *   <li>A function does not read registers and stack slots beyond its arguments, and the caller
 *       frees the stack.
 * </ul>
 *
 * <p>Conventions that pack small arguments on the stack, as Apple's on AArch64, need the types. The
 * functions have no variable arguments and, except with {@link Native#bindWithStructs}, no structs.
 */
enum CallShape {
    /** Words alone, all in registers. */
    WORDS(6, 0),

    /** Words alone, some on the stack. */
    MANY_WORDS(12, 0),

    /** Operators with factors. */
    WORDS_AND_FACTORS(6, 3),

    /** Rotations by position. */
    ROTATION(8, 6);

    private final int words;
    private final int floats;

    CallShape(int words, int floats) {
        this.words = words;
        this.floats = floats;
    }

    /**
     * Returns the smallest shape with room for a function's arguments.
     *
     * @throws IllegalArgumentException if there is none
     */
    static CallShape of(int words, int floats) {
        return Arrays.stream(values())
                .filter(shape -> words <= shape.words && floats <= shape.floats)
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "no call has room for "
                                                + words
                                                + " words and "
                                                + floats
                                                + " floats"));
    }

    /**
     * Returns the shape of a function.
     *
     * @param descriptor its C types: whole numbers and pointers, then floats
     * @throws IllegalArgumentException if there is none, a word follows a float, or the function
     *     has other types
     */
    static CallShape of(FunctionDescriptor descriptor) {
        int words = 0;
        int floats = 0;
        for (MemoryLayout type : descriptor.argumentLayouts()) {
            if (type.equals(JAVA_FLOAT)) {
                floats++;
            } else if (isWord(type) && floats == 0) {
                words++;
            } else {
                throw new IllegalArgumentException("expected words before floats: " + descriptor);
            }
        }
        if (!descriptor.returnLayout().map(CallShape::isWord).orElse(true)) {
            throw new IllegalArgumentException("expected a word as the result: " + descriptor);
        }
        return of(words, floats);
    }

    private static boolean isWord(MemoryLayout type) {
        return type instanceof ValueLayout value
                && value.byteSize() <= Long.BYTES
                && value.carrier() != float.class
                && value.carrier() != double.class;
    }

    /** Returns the types with which Java calls the function. */
    FunctionDescriptor descriptor() {
        MemoryLayout[] arguments = new MemoryLayout[words + floats];
        Arrays.fill(arguments, 0, words, JAVA_LONG);
        Arrays.fill(arguments, words, words + floats, JAVA_FLOAT);
        return FunctionDescriptor.of(JAVA_LONG, arguments);
    }
}
