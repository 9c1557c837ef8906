package dev.varve.platform.remote;

import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads the fields of a message. Every value is checked before it is used: every method fails with
 * a {@link WireException} of code INVALID_REQUEST that names the field.
 */
final class FieldReader {
    private final ByteBuffer bytes;

    FieldReader(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    int number(String field, int least, int most) {
        int value = need(field, Integer.BYTES).getInt();
        if (value < least || value > most) {
            throw invalid(field, least + " to " + most, value);
        }
        return value;
    }

    long number(String field, long least, long most) {
        long value = need(field, Long.BYTES).getLong();
        if (value < least || value > most) {
            throw invalid(field, least + " to " + most, value);
        }
        return value;
    }

    double real(String field) {
        double value = need(field, Double.BYTES).getDouble();
        if (!Double.isFinite(value)) {
            throw invalid(field, "a number", value);
        }
        return value;
    }

    boolean flag(String field) {
        byte value = need(field, 1).get();
        if (value != 0 && value != 1) {
            throw invalid(field, "0 or 1", value);
        }
        return value == 1;
    }

    String text(String field, int mostBytes) {
        int length = number(field, 0, mostBytes);
        ByteBuffer utf8 = need(field, length).slice(bytes.position(), length);
        bytes.position(bytes.position() + length);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
        } catch (CharacterCodingException e) {
            throw invalid(field, "UTF-8", "other bytes");
        }
    }

    /** Whether no field is left. */
    boolean isAtEnd() {
        return !bytes.hasRemaining();
    }

    /**
     * Checks that no bytes are left over; left-over bytes mean that both sides read the format
     * differently.
     */
    void end() {
        if (bytes.hasRemaining()) {
            throw invalid("message", "no more fields", bytes.remaining() + " bytes");
        }
    }

    static WireException invalid(String field, Object expected, Object found) {
        return new WireException(
                WireErrorCode.INVALID_REQUEST,
                field + ": expected " + expected + ", found " + found);
    }

    private ByteBuffer need(String field, int count) {
        if (bytes.remaining() < count) {
            throw invalid(field, count + " bytes", bytes.remaining());
        }
        return bytes;
    }
}
