package dev.varve.platform.remote;

import dev.varve.api.vision.ImagePixels;
import dev.varve.platform.wire.Message;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Encodes images and their rows. Meta of a request is i32 width and i32 height in pixels, and its
 * payload the normalised values as F32, channel by channel. Meta of a response is i32 number of
 * values, and its payload the rows as F32.
 *
 * @param width elements of a row
 */
record ImageRowsCodec(int width) {
    /** Longest side, and most pixels, of an image. */
    private static final int MOST_SIDE = 1 << 18;

    private static final int MOST_PIXELS = 1 << 24;
    private static final int MOST_VALUES = 1 << 28;

    Message encode(ImagePixels pixels) {
        return message(
                new FieldWriter().number(pixels.width()).number(pixels.height()), pixels.values());
    }

    ImagePixels pixels(Message message) {
        FieldReader fields = new FieldReader(message.meta());
        int columns = fields.number("width", 1, MOST_SIDE);
        int rows = fields.number("height", 1, Math.min(MOST_SIDE, MOST_PIXELS / columns));
        fields.end();
        return new ImagePixels(
                columns, rows, values("pixels", ImagePixels.CHANNELS * columns * rows, message));
    }

    Message encode(float[] rows) {
        return message(new FieldWriter().number(rows.length), rows);
    }

    /**
     * Decodes rows.
     *
     * @throws dev.varve.platform.wire.WireException if they are no whole rows
     */
    float[] rows(Message reply) {
        FieldReader fields = new FieldReader(reply.meta());
        int count = fields.number("values", width, MOST_VALUES);
        fields.end();
        if (count % width != 0) {
            throw FieldReader.invalid("values", "a multiple of " + width, count);
        }
        return values("rows", count, reply);
    }

    private static Message message(FieldWriter fields, float[] values) {
        ByteBuffer payload =
                ByteBuffer.allocate(Math.multiplyExact(values.length, Float.BYTES))
                        .order(ByteOrder.LITTLE_ENDIAN);
        payload.asFloatBuffer().put(values);
        return new Message(MessageType.ENCODE_IMAGE, fields.done(), payload);
    }

    private static float[] values(String field, int count, Message message) {
        ByteBuffer payload = message.payload();
        long expected = (long) count * Float.BYTES;
        if (payload.remaining() != expected) {
            throw FieldReader.invalid(field, expected + " bytes", payload.remaining() + " bytes");
        }
        float[] values = new float[count];
        payload.asFloatBuffer().get(values);
        return values;
    }
}
