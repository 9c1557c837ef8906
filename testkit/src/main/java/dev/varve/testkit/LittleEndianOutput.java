package dev.varve.testkit;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** The scalar encodings of GGUF, over a stream that counts its bytes. */
final class LittleEndianOutput extends FilterOutputStream {
    private long position;

    LittleEndianOutput(OutputStream out) {
        super(out);
    }

    long position() {
        return position;
    }

    @Override
    public void write(int value) throws IOException {
        out.write(value);
        position++;
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
        out.write(source, offset, length);
        position += length;
    }

    void bytes(byte[] source) throws IOException {
        write(source, 0, source.length);
    }

    void int16(int value) throws IOException {
        write(value);
        write(value >> 8);
    }

    void int32(int value) throws IOException {
        int16(value);
        int16(value >> 16);
    }

    void int64(long value) throws IOException {
        int32((int) value);
        int32((int) (value >> 32));
    }

    void text(String value) throws IOException {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        int64(utf8.length);
        bytes(utf8);
    }

    void value(GgufValue value) throws IOException {
        switch (value) {
            case GgufValue.U8(var number) -> write(number);
            case GgufValue.I8(var number) -> write(number);
            case GgufValue.U16(var number) -> int16(number);
            case GgufValue.I16(var number) -> int16(number);
            case GgufValue.U32(var number) -> int32((int) number);
            case GgufValue.I32(var number) -> int32(number);
            case GgufValue.F32(var number) -> int32(Float.floatToRawIntBits(number));
            case GgufValue.Bool(var bool) -> write(bool ? 1 : 0);
            case GgufValue.Text(var text) -> text(text);
            case GgufValue.U64(var number) -> int64(number);
            case GgufValue.I64(var number) -> int64(number);
            case GgufValue.F64(var number) -> int64(Double.doubleToRawLongBits(number));
            case GgufValue.Array(var elementTypeId, var elements) -> {
                int32(elementTypeId);
                int64(elements.size());
                for (GgufValue element : elements) {
                    value(element);
                }
            }
        }
    }

    void pad(int alignment) throws IOException {
        int padding = (int) (Math.ceilDiv(position, (long) alignment) * alignment - position);
        bytes(new byte[padding]);
    }
}
