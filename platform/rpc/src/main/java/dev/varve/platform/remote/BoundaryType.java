package dev.varve.platform.remote;

import java.nio.ByteBuffer;

/** Element type of activations that are sent between shards. */
public enum BoundaryType {
    /** Values as computed, without rounding. */
    F32(4),
    /** 11 bits of mantissa, up to 65504. */
    F16(2),
    /** 8 bits of mantissa, the range of F32. */
    BF16(2);

    private final int bytes;

    BoundaryType(int bytes) {
        this.bytes = bytes;
    }

    /** Bytes per element. */
    public int bytes() {
        return bytes;
    }

    /** Writes the first {@code count} values; rounds to nearest, ties to even. */
    void put(float[] values, int count, ByteBuffer target) {
        switch (this) {
            case F32 -> {
                target.asFloatBuffer().put(values, 0, count);
                target.position(target.position() + count * Float.BYTES);
            }
            case F16 -> {
                for (int i = 0; i < count; i++) {
                    target.putShort(Float.floatToFloat16(values[i]));
                }
            }
            case BF16 -> {
                for (int i = 0; i < count; i++) {
                    target.putShort(toBfloat16(values[i]));
                }
            }
        }
    }

    /** Reads {@code count} values. */
    float[] get(int count, ByteBuffer source) {
        float[] values = new float[count];
        switch (this) {
            case F32 -> {
                source.asFloatBuffer().get(values);
                source.position(source.position() + count * Float.BYTES);
            }
            case F16 -> {
                for (int i = 0; i < count; i++) {
                    values[i] = Float.float16ToFloat(source.getShort());
                }
            }
            case BF16 -> {
                for (int i = 0; i < count; i++) {
                    values[i] = Float.intBitsToFloat(source.getShort() << 16);
                }
            }
        }
        return values;
    }

    private static short toBfloat16(float value) {
        int bits = Float.floatToRawIntBits(value);
        if (Float.isNaN(value)) {
            // Rounding could turn a NaN into infinity.
            return (short) (bits >>> 16 | 0x40);
        }
        int rounded = bits + 0x7FFF + (bits >>> 16 & 1);
        return (short) (rounded >>> 16);
    }
}
