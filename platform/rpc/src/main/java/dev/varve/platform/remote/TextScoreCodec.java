package dev.varve.platform.remote;

import dev.varve.platform.wire.Message;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Encodes texts to score and their scores. Meta is i32 number of tokens. The payload is one i32 per
 * token in the request and one F32 per token in the response.
 *
 * @param vocabulary vocabulary size of the scoring model
 * @param tail how many of the last tokens act as queries
 */
record TextScoreCodec(int vocabulary, int tail) {
    /** Most tokens of a text. */
    static final int MOST_TOKENS = 1 << 22;

    /** Most pairs of a query token and a text token: two numbers are stored for each pair. */
    static final int MOST_PAIRS = 1 << 25;

    static TextScoreCodec of(TextScorerLoadRequest request) {
        return new TextScoreCodec(request.model().shape().vocabulary(), request.options().tail());
    }

    Message encode(int[] tokens) {
        ByteBuffer payload = payload(tokens.length);
        payload.asIntBuffer().put(tokens);
        return message(tokens.length, payload);
    }

    int[] decode(Message message) {
        FieldReader fields = new FieldReader(message.meta());
        int count = fields.number("tokens", tail, Math.min(MOST_TOKENS, MOST_PAIRS / tail));
        fields.end();
        ByteBuffer payload = message.payload();
        requireBytes("token ids", count, payload);
        int[] tokens = new int[count];
        payload.asIntBuffer().get(tokens);
        for (int token : tokens) {
            if (token < 0 || token >= vocabulary) {
                throw FieldReader.invalid("token", "0 to " + (vocabulary - 1), token);
            }
        }
        return tokens;
    }

    Message encode(float[] scores) {
        ByteBuffer payload = payload(scores.length);
        payload.asFloatBuffer().put(scores);
        return message(scores.length, payload);
    }

    /**
     * Decodes scores.
     *
     * @param tokens of the text
     * @throws dev.varve.platform.wire.WireException if the number of scores differs
     */
    float[] decode(int tokens, Message reply) {
        FieldReader fields = new FieldReader(reply.meta());
        fields.number("scores", tokens, tokens);
        fields.end();
        requireBytes("scores", tokens, reply.payload());
        float[] scores = new float[tokens];
        reply.payload().asFloatBuffer().get(scores);
        return scores;
    }

    private static ByteBuffer payload(int count) {
        return ByteBuffer.allocate(Math.multiplyExact(count, Integer.BYTES))
                .order(ByteOrder.LITTLE_ENDIAN);
    }

    private static Message message(int count, ByteBuffer payload) {
        return new Message(MessageType.SCAN, new FieldWriter().number(count).done(), payload);
    }

    private static void requireBytes(String field, int count, ByteBuffer payload) {
        long expected = (long) count * Integer.BYTES;
        if (payload.remaining() != expected) {
            throw FieldReader.invalid(field, expected + " bytes", payload.remaining() + " bytes");
        }
    }
}
