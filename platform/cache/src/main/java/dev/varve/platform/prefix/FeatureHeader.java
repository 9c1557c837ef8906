package dev.varve.platform.prefix;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What stands before the hidden states of a block or checkpoint in a store, all of it 32-bit
 * numbers, lowest byte first: the version, 1; how many layers, and which; elements of each; how
 * many positions matter to a draft; the position behind the last one; how many positions; how many
 * tokens, and which. The states follow as {@code F32 [hidden, captures, positions]}.
 *
 * @param kind which states they are
 * @param most positions that mattered to a draft when it was written
 * @param position tokens up to the end of the block or checkpoint
 * @param count positions that have states, the last ones of the block or checkpoint
 * @param tokens of the block, or behind the last one
 */
record FeatureHeader(FeatureKind kind, int most, int position, int count, int[] tokens) {
    private static final int VERSION = 1;

    /** As bytes. */
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
     * Reads it from bytes.
     *
     * @return empty if they are no such thing
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

    /** Whether these are states of a kind, of these tokens at this place, in so many bytes. */
    boolean fits(FeatureKind wanted, int end, int[] ids, long bytes) {
        return kind.equals(wanted)
                && position == end
                && Arrays.equals(tokens, ids)
                && bytes == (long) count * wanted.bytesPerToken();
    }
}
