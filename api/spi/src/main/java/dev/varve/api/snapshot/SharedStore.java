package dev.varve.api.snapshot;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;

/**
 * A key-value store that several servers read and write at once. An entry may disappear at any
 * moment and may have been written by any client, so callers validate the values that they read.
 * Several threads may use it at once.
 *
 * <p>Keys are ASCII text without spaces. Every call waits for the store at most for its limit and
 * then fails; it also fails if the store cannot be reached. Connecting counts towards that limit. A
 * later call tries again.
 */
public interface SharedStore extends AutoCloseable {
    /** Receives the values of a read. */
    @FunctionalInterface
    interface Values {
        /**
         * Receives a value, in the order of the keys.
         *
         * @param index index of its key
         * @param value the bytes; empty if the value is missing or is not of bytes; the buffer is
         *     valid until the next call
         * @return whether to continue with the next value
         */
        boolean take(int index, ByteBuffer value);
    }

    /**
     * Reads values. Requests are pipelined, so that the round trip is not paid for each value.
     *
     * @param mostBytes maximum bytes of a value; of a longer value only one more byte than that is
     *     read
     * @param limit maximum wait for the next value
     * @throws IOException if the store cannot be reached, or a value took longer
     */
    void get(List<String> keys, int mostBytes, Duration limit, Values taker) throws IOException;

    /**
     * Returns which keys have values, of any type.
     *
     * @param limit maximum time for all of them together
     * @throws IOException if the store cannot be reached, or it took longer
     */
    BitSet has(List<String> keys, Duration limit) throws IOException;

    /**
     * Stores a value for the store's time-to-live, replacing an earlier one.
     *
     * @param value the remaining bytes of the buffer, whose position and limit are not changed
     * @throws IOException if the store did not confirm the write
     */
    void put(String key, ByteBuffer value, Duration limit) throws IOException;

    /**
     * Sets a bit of a value atomically, also while other clients set other bits. Bit 0 is the
     * highest one of the first byte; a missing value has no bit set.
     *
     * @throws IOException if the store did not confirm the write
     */
    void mark(String key, int bit, Duration limit) throws IOException;

    /**
     * Restarts the time-to-live of values; missing ones stay missing.
     *
     * @throws IOException if the store cannot be reached, or it took longer
     */
    void touch(List<String> keys, Duration limit) throws IOException;

    /**
     * Deletes all values whose keys begin with a prefix. Values that are added during the call may
     * stay.
     *
     * @param prefix letters, digits and colons
     * @param limit maximum time of each step
     * @throws IOException if the store cannot be reached, or it took longer
     */
    void deleteAll(String prefix, Duration limit) throws IOException;

    /**
     * Checks that the store responds and accepts commands.
     *
     * @throws IOException if it does not
     */
    void ping(Duration limit) throws IOException;

    /** Closes connections. Calls in progress fail; later calls fail at once. Never fails itself. */
    @Override
    void close();
}
