package dev.varve.platform.sequence;

import dev.varve.api.speculation.TokenHistory;
import dev.varve.platform.shard.SequenceImages;

import java.util.Arrays;
import java.util.Objects;

/** Growing list of token ids, without boxing because it is used per token. */
public final class TokenList implements TokenHistory {
    private static final long FNV_BASIS = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private int[] values;
    private int size;
    private SequenceImages images;

    /** Creates a list that begins with the given tokens. */
    public TokenList(int[] first) {
        this(first, SequenceImages.NONE);
    }

    /** Creates a list that begins with the given tokens, some of which belong to images. */
    public TokenList(int[] first, SequenceImages images) {
        this.images = images;
        values = Arrays.copyOf(first, first.length + 64);
        size = first.length;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public int get(int position) {
        return values[Objects.checkIndex(position, size)];
    }

    /** The images among the tokens. */
    public SequenceImages images() {
        return images;
    }

    /** Releases the images, when no more tokens will be computed for this list. */
    public void dropImages() {
        images = SequenceImages.NONE;
    }

    /** Appends a token. */
    public void add(int token) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = token;
    }

    /** The last token; there must be one. */
    public int last() {
        return values[size - 1];
    }

    /** Copies the tokens from {@code begin} up to {@code end}. */
    public int[] range(int begin, int end) {
        return Arrays.copyOfRange(values, begin, end);
    }

    /** Copies the first tokens to a new list. */
    TokenList first(int length) {
        return new TokenList(range(0, length));
    }

    /**
     * Hash of the first tokens, never 0 (FNV-1a over their ids).
     *
     * @param length number of tokens
     */
    public long fingerprint(int length) {
        long hash = FNV_BASIS;
        for (int i = 0; i < length; i++) {
            hash = (hash ^ values[i]) * FNV_PRIME;
        }
        return hash == 0 ? 1 : hash;
    }

    /** Whether both lists hold the same tokens. */
    public boolean sameAs(TokenList other) {
        return size == other.size && commonPrefix(other) == size;
    }

    /** Number of leading tokens that both lists share. */
    public int commonPrefix(TokenList other) {
        int limit = Math.min(size, other.size);
        int mismatch = Arrays.mismatch(values, 0, limit, other.values, 0, limit);
        return mismatch < 0 ? limit : mismatch;
    }
}
