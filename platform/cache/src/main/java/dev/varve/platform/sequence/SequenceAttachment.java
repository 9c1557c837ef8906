package dev.varve.platform.sequence;

/**
 * What goes with a sequence beside its places on the devices. Whoever begins like the sequence
 * begins with that part of it as well.
 */
public interface SequenceAttachment {
    /**
     * The part that belongs to the first tokens.
     *
     * @param position how many tokens these are
     */
    SequenceAttachment upTo(int position);
}
