package dev.varve.platform.prefix;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Header of the stored hidden states of a block or checkpoint, in 32-bit little-endian numbers: the
 * version, 1; the number of layers, and the layers; elements of each; number of positions that
 * matter to a draft model; the position after the last one; number of positions; number of tokens,
 * and the tokens. The hidden states follow as {@code F32 [hidden, captures, positions]}.
 *
 * @param kind kind of the hidden states
 * @param most positions that mattered to a draft model at the time of writing
 * @param position tokens up to the end of the block or checkpoint
 * @param count positions with hidden states, the last ones of the block or checkpoint
 * @param tokens tokens of the block, or tokens after the last block
 */
record FeatureHeader(FeatureKind kind, int most, int position, int count, int[] tokens) {
    private static final int VERSION = 1;

    /** Encodes the header. */
    ByteBuffer encode() {
        List<Integer> captures = kind.captures();
        ByteBuffer bytes =
                ByteBuffer.allocate((7 + captures.size() + tokens.length) * Integer.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(VERSION).putInt(captures.size());
        captures.forEach(bytes::putInt);
        bytes.putInt(kind.hidden()).putInt(most).putInt(position).putInt(count);
        bytes.putInt(tokens.length);
        Arrays.stream(tokens).forEach(bytes::putInt);
        return bytes.flip();
    }

    /**
     * Decodes a header.
     *
     * @return empty if the bytes are not a header
     */
    static Optional<FeatureHeader> decode(ByteBuffer from) {
        IntBuffer numbers = from.slice().order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
        if (from.remaining() % Integer.BYTES != 0
                || numbers.remaining() < 2
                || numbers.get() != VERSION) {
            return Optional.empty();
        }
        int layers = numbers.get();
        if (layers < 1 || layers > numbers.remaining() - 5) {
            return Optional.empty();
        }
        List<Integer> captures = new ArrayList<>();
        for (int i = 0; i < layers; i++) {
            captures.add(numbers.get());
        }
        int hidden = numbers.get();
        int most = numbers.get();
        int position = numbers.get();
        int count = numbers.get();
        int length = numbers.get();
        if (hidden < 1 || length != numbers.remaining() || count < 1 || count > length) {
            return Optional.empty();
        }
        int[] tokens = new int[length];
        numbers.get(tokens);
        return Optional.of(
                new FeatureHeader(
                        new FeatureKind(captures, hidden), most, position, count, tokens));
    }

    /**
     * Whether these are hidden states of a kind, of these tokens at this position, in this many
     * bytes.
     */
    boolean fits(FeatureKind wanted, int end, int[] ids, long bytes) {
        return kind.equals(wanted)
                && position == end
                && Arrays.equals(tokens, ids)
                && bytes == (long) count * wanted.bytesPerToken();
    }
}
