package dev.varve.api.gguf;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.StringJoiner;

/** A value of the metadata, by its type in the file. */
public sealed interface GgufValue {
    /** Number of elements of an array that {@link #describe} prints. */
    int SHOWN = 8;

    /** Type as the format names it, such as {@code u32} or {@code array of string}. */
    String typeName();

    /** The value for people; long arrays and texts are truncated. */
    String describe();

    /** Formats the first elements of an array, with a hint at the rest. */
    private static String shown(Object first, int size) {
        String text = first.toString();
        return size <= SHOWN
                ? text
                : text.substring(0, text.length() - 1) + ", …] (" + size + " values)";
    }

    /** An integer of any width; {@code u64} values are kept as bits. */
    record Whole(String typeName, long value) implements GgufValue {
        @Override
        public String describe() {
            return typeName.equals("u64") ? Long.toUnsignedString(value) : Long.toString(value);
        }
    }

    /** A floating-point number. */
    record Real(String typeName, double value) implements GgufValue {
        @Override
        public String describe() {
            return typeName.equals("f32") ? Float.toString((float) value) : Double.toString(value);
        }
    }

    /** A truth value. */
    record Bool(boolean value) implements GgufValue {
        @Override
        public String typeName() {
            return "bool";
        }

        @Override
        public String describe() {
            return Boolean.toString(value);
        }
    }

    /** A text, as bytes, because files do not always hold UTF-8. */
    record Text(byte[] bytes) implements GgufValue {
        /** The text; invalid bytes become U+FFFD. */
        public String value() {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        @Override
        public String typeName() {
            return "string";
        }

        @Override
        public String describe() {
            String text = value();
            return text.length() <= 200
                    ? text
                    : text.substring(0, 200) + "… (" + text.length() + " characters)";
        }
    }

    /** An array of integers or truth values (1 and 0). */
    record Wholes(String elementType, long[] values) implements GgufValue {
        @Override
        public String typeName() {
            return "array of " + elementType;
        }

        @Override
        public String describe() {
            return shown(Arrays.stream(values).limit(SHOWN).boxed().toList(), values.length);
        }
    }

    /** An array of integers of one byte, or of 32-bit integers, stored compactly. */
    record SmallWholes(String elementType, int[] values) implements GgufValue {
        @Override
        public String typeName() {
            return "array of " + elementType;
        }

        @Override
        public String describe() {
            return shown(Arrays.stream(values).limit(SHOWN).boxed().toList(), values.length);
        }
    }

    /** An array of floating-point numbers. */
    record Reals(String elementType, double[] values) implements GgufValue {
        @Override
        public String typeName() {
            return "array of " + elementType;
        }

        @Override
        public String describe() {
            return shown(Arrays.stream(values).limit(SHOWN).boxed().toList(), values.length);
        }
    }

    /**
     * An array of texts in one block of bytes; text i ends at {@code ends[i]} and begins where the
     * one before ends.
     */
    record Texts(byte[] bytes, int[] ends) implements GgufValue {
        /** Number of texts. */
        public int size() {
            return ends.length;
        }

        /** Bytes of one text. */
        public byte[] get(int index) {
            return Arrays.copyOfRange(bytes, index == 0 ? 0 : ends[index - 1], ends[index]);
        }

        @Override
        public String typeName() {
            return "array of string";
        }

        @Override
        public String describe() {
            StringJoiner first = new StringJoiner(", ", "[", "]");
            for (int i = 0; i < Math.min(ends.length, SHOWN); i++) {
                first.add(new String(get(i), StandardCharsets.UTF_8));
            }
            return shown(first, ends.length);
        }
    }
}
