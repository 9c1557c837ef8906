package dev.varve.platform.wire;

/**
 * Place of a payload in a ring.
 *
 * @param position of its record, counted from the first byte that was ever written to the ring
 * @param sequence of the record, 1 for the first
 * @param crc CRC32C of the payload
 */
record RingSlot(long position, long sequence, int crc) {
    static final RingSlot NONE = new RingSlot(0, 0, 0);
}
