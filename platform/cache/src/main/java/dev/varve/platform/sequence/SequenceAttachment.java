package dev.varve.platform.sequence;

/**
 * Data that belongs to a sequence in addition to its slots and rows. A sequence with a common
 * prefix begins with that part of it as well.
 */
public interface SequenceAttachment {
    /**
     * Returns the part that belongs to the first tokens.
     *
     * @param position number of tokens
     */
    SequenceAttachment upTo(int position);
}
