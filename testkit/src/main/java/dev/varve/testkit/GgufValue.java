package dev.varve.testkit;

import java.util.ArrayList;
import java.util.List;

/**
 * A metadata value of a GGUF file. Integers are held in the widest Java type and written with the
 * width they name.
 */
public sealed interface GgufValue {
    /** The value of {@code enum gguf_type}. */
    int typeId();

    record U8(int value) implements GgufValue {
        @Override
        public int typeId() {
            return 0;
        }
    }

    record I8(int value) implements GgufValue {
        @Override
        public int typeId() {
            return 1;
        }
    }

    record U16(int value) implements GgufValue {
        @Override
        public int typeId() {
            return 2;
        }
    }

    record I16(int value) implements GgufValue {
        @Override
        public int typeId() {
            return 3;
        }
    }

    record U32(long value) implements GgufValue {
        @Override
        public int typeId() {
            return 4;
        }
    }

    record I32(int value) implements GgufValue {
        @Override
        public int typeId() {
            return 5;
        }
    }

    record F32(float value) implements GgufValue {
        @Override
        public int typeId() {
            return 6;
        }
    }

    record Bool(boolean value) implements GgufValue {
        @Override
        public int typeId() {
            return 7;
        }
    }

    record Text(String value) implements GgufValue {
        @Override
        public int typeId() {
            return 8;
        }
    }

    /**
     * An array whose elements all have the type id {@code elementTypeId}; nesting is allowed by the
     * format.
     */
    record Array(int elementTypeId, List<GgufValue> elements) implements GgufValue {
        public Array {
            elements = List.copyOf(elements);
            for (GgufValue element : elements) {
                if (element.typeId() != elementTypeId) {
                    throw new IllegalArgumentException(
                            "array of type "
                                    + elementTypeId
                                    + " holds an element of type "
                                    + element.typeId());
                }
            }
        }

        @Override
        public int typeId() {
            return 9;
        }
    }

    record U64(long value) implements GgufValue {
        @Override
        public int typeId() {
            return 10;
        }
    }

    record I64(long value) implements GgufValue {
        @Override
        public int typeId() {
            return 11;
        }
    }

    record F64(double value) implements GgufValue {
        @Override
        public int typeId() {
            return 12;
        }
    }

    /** An unsigned 32-bit number, the usual type of sizes. */
    static GgufValue of(long value) {
        return new U32(value);
    }

    static GgufValue of(float value) {
        return new F32(value);
    }

    static GgufValue of(String value) {
        return new Text(value);
    }

    static GgufValue of(boolean value) {
        return new Bool(value);
    }

    /** An array of strings. */
    static GgufValue texts(List<String> values) {
        List<GgufValue> elements = new ArrayList<>(values.size());
        values.forEach(value -> elements.add(new Text(value)));
        return new Array(8, elements);
    }

    /** An array of signed 32-bit numbers. */
    static GgufValue ints(List<Integer> values) {
        List<GgufValue> elements = new ArrayList<>(values.size());
        values.forEach(value -> elements.add(new I32(value)));
        return new Array(5, elements);
    }

    /** An array of 32-bit floating-point numbers. */
    static GgufValue floats(List<Float> values) {
        return new Array(6, values.stream().<GgufValue>map(F32::new).toList());
    }

    /** An array of booleans. */
    static GgufValue booleans(List<Boolean> values) {
        List<GgufValue> elements = new ArrayList<>(values.size());
        values.forEach(value -> elements.add(new Bool(value)));
        return new Array(7, elements);
    }
}
