package dev.varve.platform.shard;

import dev.varve.platform.shard.lora.LoraScales;

import java.util.Objects;

/**
 * Consecutive tokens of one sequence in a {@link Batch}, or a tree of draft tokens after its last
 * known token: then each token's position follows from the number of its predecessors.
 *
 * @param sequence identity of the sequence
 * @param tokens token ids, at least one; not to be modified. Those of images are negative, and
 *     nothing looks them up
 * @param place position, slots and state rows; must hold all positions of the chunk
 * @param outputs tokens for which logits or ids are requested
 * @param kind how the tokens are computed
 * @param tree which token each one follows; only rows of decode may branch
 * @param images images of the sequence, at least those up to the chunk's end
 * @param lora scales of the model's adapters for these tokens
 */
public record SequenceChunk(
        long sequence,
        int[] tokens,
        ChunkPlacement place,
        RequestedOutput outputs,
        ChunkComputeMode kind,
        TokenTree tree,
        SequenceImages images,
        LoraScales lora) {
    /** Row that always holds the state of an empty sequence. */
    public static final int ZERO_ROW = 0;

    /** Checks that the tokens fit their placement. */
    public SequenceChunk {
        if (tokens.length == 0) {
            throw new IllegalArgumentException(
                    "the chunk at position " + place.firstPosition() + " has no tokens");
        }
        if (tokens.length > Integer.MAX_VALUE - place.firstPosition()
                || !place.holds(tokens.length)) {
            throw new IllegalArgumentException(
                    "positions up to "
                            + ((long) place.firstPosition() + tokens.length)
                            + " do not fit the span of "
                            + place.slots().capacity()
                            + " slots");
        }
        if (!tree.fits(tokens.length)) {
            throw new IllegalArgumentException(
                    "the token tree does not fit a chunk of " + tokens.length + " tokens: " + tree);
        }
        Objects.requireNonNull(images);
        Objects.requireNonNull(lora);
    }

    /** Creates a chunk with the scales with which the adapters were loaded. */
    public SequenceChunk(
            long sequence,
            int[] tokens,
            ChunkPlacement place,
            RequestedOutput outputs,
            ChunkComputeMode kind,
            TokenTree tree,
            SequenceImages images) {
        this(sequence, tokens, place, outputs, kind, tree, images, LoraScales.AS_LOADED);
    }

    /** Creates a chunk of a sequence without images. */
    public SequenceChunk(
            long sequence,
            int[] tokens,
            ChunkPlacement place,
            RequestedOutput outputs,
            ChunkComputeMode kind,
            TokenTree tree) {
        this(sequence, tokens, place, outputs, kind, tree, SequenceImages.NONE);
    }

    /** Creates a chunk whose tokens follow one another. */
    public SequenceChunk(
            long sequence,
            int[] tokens,
            ChunkPlacement place,
            RequestedOutput outputs,
            ChunkComputeMode kind) {
        this(sequence, tokens, place, outputs, kind, TokenTree.CHAIN);
    }

    /** Creates a chunk, or a row if it is in a decode batch or has a single token. */
    public SequenceChunk(
            long sequence, int[] tokens, ChunkPlacement place, RequestedOutput outputs) {
        this(sequence, tokens, place, outputs, ChunkComputeMode.CHUNK);
    }

    /** Returns the same tokens in another place. */
    public SequenceChunk at(ChunkPlacement other) {
        return new SequenceChunk(sequence, tokens, other, outputs, kind, tree, images, lora);
    }

    /** Returns the same chunk of a sequence with images. */
    public SequenceChunk with(SequenceImages other) {
        return new SequenceChunk(sequence, tokens, place, outputs, kind, tree, other, lora);
    }

    /** Returns the same chunk with other scales of adapters. */
    public SequenceChunk with(LoraScales other) {
        return new SequenceChunk(sequence, tokens, place, outputs, kind, tree, images, other);
    }

    /** Number of its tokens that belong to images. */
    public int imageTokens() {
        return images.isEmpty()
                ? 0
                : images.count(firstPosition(), firstPosition() + tokens.length);
    }

    /** Position of the first token. */
    public int firstPosition() {
        return place.firstPosition();
    }

    /** Position of a token. */
    public int position(int token) {
        return firstPosition() + tree.level(token);
    }

    /** Slots of the sequence's K and V rows. */
    public KvSlotSpan slots() {
        return place.slots();
    }

    /** Recurrent state row before the chunk. */
    public int readRow() {
        return place.readRow();
    }

    /** Recurrent state row after the chunk. */
    public int writeRow() {
        return place.writeRow();
    }

    /**
     * Slots that attention reads: those of all pages in the span up to the chunk's last position,
     * padded to whole blocks. It depends on the pages only, not on their order.
     */
    public int attendedSlots() {
        return KvSlotSpan.roundUp(place.positions().slotsUpTo(firstPosition() + tokens.length - 1));
    }

    /** Number of rows of logits or ids that the chunk requests. */
    public int outputCount() {
        return outputs.count(tokens.length);
    }
}
