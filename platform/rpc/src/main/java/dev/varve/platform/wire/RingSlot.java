package dev.varve.platform.wire;

/**
 * Where a payload lies in a ring.
 *
 * @param position of its record, counted from the first byte that was ever written
 * @param sequence of the record, 1 for the first
 * @param crc CRC32C of the payload
 */
record RingSlot(long position, long sequence, int crc) {
    static final RingSlot NONE = new RingSlot(0, 0, 0);
}
