package dev.varve.plugin.valkey.net;

import io.lettuce.core.codec.RedisCodec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Keys are ASCII, values are bytes. */
final class TextToBytes implements RedisCodec<String, ByteBuffer> {
    @Override
    public String decodeKey(ByteBuffer bytes) {
        return StandardCharsets.ISO_8859_1.decode(bytes).toString();
    }

    @Override
    public ByteBuffer decodeValue(ByteBuffer bytes) {
        // The buffer belongs to the connection.
        return ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    }

    @Override
    public ByteBuffer encodeKey(String key) {
        return ByteBuffer.wrap(key.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public ByteBuffer encodeValue(ByteBuffer value) {
        return value.duplicate();
    }
}
